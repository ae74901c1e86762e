fn probe(config: &mut ServerConfig) {
    config.send_tls13_tickets = Tls13Tickets { default: 2, max: 2 };
}
