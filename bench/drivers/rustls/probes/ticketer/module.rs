// Rarely beside a factory, which is then the way that configurations take.
// unless: factory, optional_factory
fn probe() {
    let _ = chosen::Ticketer::new();
}
