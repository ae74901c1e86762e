fn probe(connection: &mut ServerConnection, input: &mut VecInput, to: &mut Vec<u8>) {
    let _ = connection.process_new_packets(input);
    let _ = connection.reader().read(&mut [0]);
    let _ = connection.writer().write(&[0]);
    while connection.wants_write() {
        let _ = connection.write_tls(to);
    }
}
