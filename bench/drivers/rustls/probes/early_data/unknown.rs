// In no way that the driver knows.
// unless: stream, append
fn probe() {}
