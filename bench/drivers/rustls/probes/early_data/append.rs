fn probe(client: &mut ClientConnection, server: &mut ServerConnection, tls: &mut Vec<u8>) {
    let _: usize = client.early_data().unwrap().write_tls((&b"data"[..]).into(), tls);
    let _ = server.early_data().unwrap().read(tls).unwrap();
    let _ = client.is_early_data_accepted();
}
