use super::*;
use proptest::prelude::*;

const FULL: &str = "intree/handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256";
const BULK: &str = "intree/bulk/tls1.2/aes256-gcm/default/rsa-2048/write-16KiB";

/// As printed at rustls 6868ee84d (2026-08-19), without and with an option for the key.
const NEW: &str = "\
handshakes\tTLSv1_3\tRsa2048\tTLS13_AES_128_GCM_SHA256\tclient\tserver-auth\tno-resume\t2048.20\thandshakes/s
handshakes\tTLSv1_3\tRsa2048\tTLS13_AES_128_GCM_SHA256\tserver\tserver-auth\tno-resume\t343.83\thandshakes/s
handshakes\tTLSv1_3\tEcdsaP256\tTLS13_AES_128_GCM_SHA256\tclient\tserver-auth\tno-resume\t2299.02\thandshakes/s
handshakes\tTLSv1_3\tEcdsaP256\tTLS13_AES_128_GCM_SHA256\tserver\tserver-auth\tno-resume\t8599.08\thandshakes/s
handshakes-unbuffered\tTLSv1_3\tEcdsaP256\tTLS13_AES_128_GCM_SHA256\tclient\tserver-auth\tno-resume\t1.00\thandshakes/s
";

/// As printed at rustls 0.22.
const OLD: &str = "\
handshakes\tTLSv1_3\tEcdsa\tTLS13_AES_128_GCM_SHA256\tclient\tserver-auth\tno-resume\t2299.02\thandshake/s
handshakes\tTLSv1_3\tEcdsa\tTLS13_AES_128_GCM_SHA256\tserver\tserver-auth\tno-resume\t8599.08\thandshake/s
";

const TRANSFER: &str = "\
bulk\tTLSv1_2\tTLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\tmax_fragment_size:default\tsend\t6609.41\tMB/s
bulk\tTLSv1_2\tTLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\tmax_fragment_size:default\trecv\t933.87\tMB/s
";

fn read(text: &str, id: &str) -> Result<Vec<Rates>, String> {
    parse(text, &id.parse().unwrap())
}

#[test]
fn every_form_of_output_is_read() {
    let expected = [Rates([2299.02, 8599.08])];
    assert_eq!(read(NEW, FULL).unwrap(), expected);
    assert_eq!(read(OLD, FULL).unwrap(), expected);
    assert_eq!(read(TRANSFER, BULK).unwrap(), [Rates([6609.41, 933.87])]);
    // Without an option for the key a transfer is measured once for each of them.
    assert_eq!(read(&TRANSFER.repeat(3), BULK).unwrap().len(), 3);
}

#[test]
fn what_does_not_fit_is_no_number() {
    for (text, said) in [
        (String::new(), "no line"),
        ("Segmentation fault".to_owned(), "no line"),
        (NEW.replace("2299.02", "NaN"), "`NaN` is not a rate"),
        (NEW.replace("2299.02", "inf"), "not a rate"),
        (NEW.replace("2299.02", "0.00"), "not a rate"),
        (NEW.replace("2299.02", "-5"), "not a rate"),
        (NEW.replace("2299.02", "1e300"), "not a rate"),
        (NEW.replace("handshakes/s", "handshakes/min"), "unknown unit"),
        (NEW.replace("no-resume", "tickets"), "resumption `tickets`"),
        (NEW.replace("TLSv1_3", "TLSv1_2"), "version `TLSv1_2`"),
        (NEW.replace("server-auth", "mutual"), "authentication `mutual`"),
        (NEW.replace("AES_128_GCM_SHA256", "AES_256_GCM_SHA384"), "cipher suite `"),
        (NEW.replace("EcdsaP256", "EcdsaP521"), "unknown key"),
        (NEW.replace("\tserver\t", "\tproxy\t"), "unknown side"),
        (NEW.replace("\thandshakes/s", "\tthreads\t2\thandshakes/s"), "11 fields"),
        (NEW.lines().take(3).collect::<Vec<_>>().join("\n"), "1 rates of client and 0 of server"),
    ] {
        let error = read(&text, FULL).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn a_hostile_line_is_cut_and_escaped_in_the_message() {
    let error = read(&format!("handshakes\t\u{1b}[31m{}", "x".repeat(10_000)), FULL).unwrap_err();
    assert!(error.len() < 400 && !error.contains('\u{1b}'), "{error}");
}

proptest! {
    #[test]
    fn no_output_makes_reading_panic(text in "(\\PC|\t|\n|handshakes|bulk){0,200}") {
        let _ = read(&text, FULL);
        let _ = read(&text, BULK);
    }

    #[test]
    fn any_rate_is_read_as_it_was_printed(client in 0.01_f64..1e8, server in 0.01_f64..1e8) {
        let text = NEW.replace("2299.02", &format!("{client:.2}"));
        let text = text.replace("8599.08", &format!("{server:.2}"));
        let Rates([first, second]) = read(&text, FULL).unwrap()[0];
        prop_assert!((first - client).abs() <= 0.0051 && (second - server).abs() <= 0.0051);
    }

    /// A broken field never yields a number of that line.
    #[test]
    fn a_broken_line_is_an_error(cut in 0_usize..60) {
        let line = NEW.lines().nth(2).unwrap();
        let text = format!("{}\n", &line[..cut]);
        prop_assert!(read(&text, FULL).is_err());
    }
}
