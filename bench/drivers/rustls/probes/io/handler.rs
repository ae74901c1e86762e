use rustls::Connection as Tls;

fn probe(connection: &mut Tls<ServerSide, Tcp>, input: &mut VecInput, to: &mut Vec<u8>) {
    let _ = connection.read_tls(input, to).next_payload();
    let _ = connection.write((&[0][..]).into(), to);
}
