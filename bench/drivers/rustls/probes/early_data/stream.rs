fn probe(client: &mut ClientConnection, server: &mut ServerConnection, into: &mut [u8]) {
    let _ = client.early_data().unwrap().write(b"data").unwrap();
    let _ = server.early_data().unwrap().read(into).unwrap();
    let _ = client.is_early_data_accepted();
}
