fn probe(config: &mut ServerConfig) {
    config.send_tls13_tickets = 2usize;
}
