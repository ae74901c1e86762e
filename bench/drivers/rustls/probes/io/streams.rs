fn probe(connection: &mut ServerConnection, mut from: &[u8], to: &mut Vec<u8>) {
    let _ = connection.read_tls(&mut from);
    let _ = connection.process_new_packets();
    let _ = connection.reader().read(&mut [0]);
    let _ = connection.writer().write(&[0]);
    while connection.wants_write() {
        let _ = connection.write_tls(to);
    }
}
