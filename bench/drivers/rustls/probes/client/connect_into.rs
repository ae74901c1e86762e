fn probe(config: Arc<ClientConfig>, name: ServerName<'static>) {
    let _ = config.connect(name).build(&mut Vec::<u8>::new());
}
