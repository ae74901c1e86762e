fn probe(connection: &mut ServerConnection, input: &mut VecInput, to: &mut Vec<u8>) {
    let _ = connection.process_new_packets(input, to).next_payload();
    let _ = connection.write_tls((&[0][..]).into(), to);
}
