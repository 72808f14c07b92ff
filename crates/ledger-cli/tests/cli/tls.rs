//! Witnesses behind TLS: whom the program talks to, and whom not.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::bench::{Bench, Ran, run};
use crate::witness::Serving;

/// A root that nobody trusts but these tests, from 2020 to 2120.
const ROOT: &str = "\
    MIIBOTCB4KADAgECAgEBMAoGCCqGSM49BAMCMBsxGTAXBgNVBAMMEGEgcm9vdCBmb3IgdGVzdHMwIBcNMjAwMTAx\
    MDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBsxGTAXBgNVBAMMEGEgcm9vdCBmb3IgdGVzdHMwWTATBgcqhkjOPQIB\
    BggqhkjOPQMBBwNCAATcEE03YlLlOlfd//4UCdI8qY97sD5xGgw4LNX3H5MDZcVMXyf0+rrU0Qb2iwcfuRryH/mH\
    ByYwFUeDlZoz8qrjoxMwETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCICc0g61Vl8DcwScAFD23\
    lsllj8MXq+9QDIzvu/dcjWKbAiEAohs8ruuaQDOvRJcmxjXmFtXJ4RCOj4xmONA9I2d2iFo=";
/// A certificate for `localhost` by that root, and its key.
const LEAF: &str = "\
    MIIBXDCCAQGgAwIBAgIBAjAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBhIHJvb3QgZm9yIHRlc3RzMCAXDTIwMDEw\
    MTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\
    PQMBBwNCAAQDM1D0jBSbltF4xPLzttmcqc6uXe1tBYMXvnTaFWLuLOnh74G3M8n37CmsHpNh9FQpJ96vJQqRX1n+\
    67UfrEhOozswOTAUBgNVHREEDTALgglsb2NhbGhvc3QwDAYDVR0TAQH/BAIwADATBgNVHSUEDDAKBggrBgEFBQcD\
    ATAKBggqhkjOPQQDAgNJADBGAiEA5+Uw1OHMSauToNeh0dWpOfSM42c9kO0EvvowQ7qzYycCIQDEUZtqDOMSwtAD\
    PfETqY2mgwB2w1GrrzcX2vQlxxxa5A==";
const KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGzgBwA6UygLPkNDJqT/xuKZI4poi6TKplrob7SJe\
    EmmhRANCAAQDM1D0jBSbltF4xPLzttmcqc6uXe1tBYMXvnTaFWLuLOnh74G3M8n37CmsHpNh9FQpJ96vJQqRX1n+\
    67UfrEhO";

/// TLS in front of a witness, as whoever runs one for others has it.
struct Proxy {
    port: u16,
    /// Requests that came through.
    passed: Arc<AtomicUsize>,
}

impl Proxy {
    fn before(address: &str) -> Self {
        let [leaf, key] = [LEAF, KEY].map(|text| STANDARD.decode(text).unwrap());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.into()], PrivateKeyDer::Pkcs8(key.into()))
            .unwrap();
        let (config, address) = (Arc::new(config), address.to_owned());
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let passed = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&passed);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = StreamOwned::new(tls, stream.unwrap());
                let mut request = vec![0; 65_536];
                // Whoever does not trust the certificate sends no request.
                let Ok(length @ 1..) = stream.read(&mut request) else { continue };
                counted.fetch_add(1, Ordering::SeqCst);
                let mut witness = TcpStream::connect(&address).unwrap();
                witness.write_all(&request[..length]).unwrap();
                // The body may come in a record of its own.
                if request[..length].ends_with(b"\r\n\r\n") {
                    let length = stream.read(&mut request).unwrap();
                    witness.write_all(&request[..length]).unwrap();
                }
                let mut answer = Vec::new();
                witness.read_to_end(&mut answer).unwrap();
                let _ = stream.write_all(&answer);
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        });
        Self { port, passed }
    }
}

fn ask(bench: &Bench, host: &str, proxy: &Proxy, roots: &str) -> Ran {
    let mut command = bench.command();
    command.env("SSL_CERT_FILE", bench.root().join(roots));
    let url = format!("https://{host}:{}", proxy.port);
    command.args(["checkpoint", "--witness-policy", "policy", "--witness", &url]);
    run(command, b"")
}

#[test]
fn a_witness_behind_tls_is_asked_when_its_certificate_is_trusted_and_its_own() {
    let bench = Bench::new();
    bench.write("one", &[]);
    let key = bench.run(["key", "show"]).ends(0).out.lines().next().unwrap().to_owned();
    let witness = bench.run(["witness", "init", "w", "--name", "w.example", "--quiet"]).ends(0).out;
    fs::write(bench.root().join("policy"), format!("witness w {witness}quorum w\n")).unwrap();
    let root = format!("-----BEGIN CERTIFICATE-----\n{ROOT}\n-----END CERTIFICATE-----\n");
    fs::write(bench.root().join("roots.pem"), root).unwrap();
    fs::write(bench.root().join("none.pem"), "").unwrap();
    let other = format!("-----BEGIN CERTIFICATE-----\n{LEAF}\n-----END CERTIFICATE-----\n");
    fs::write(bench.root().join("other.pem"), other).unwrap();
    let serving = Serving::start(&bench, "w", &key);
    let proxy = Proxy::before(&serving.address);

    ask(&bench, "localhost", &proxy, "other.pem").fails(4, &["TLS", "certificate"]);
    ask(&bench, "127.0.0.1", &proxy, "roots.pem").fails(4, &["TLS", "certificate"]);
    ask(&bench, "localhost", &proxy, "none.pem").fails(4, &["TLS", "SSL_CERT_FILE"]);
    assert_eq!(proxy.passed.load(Ordering::SeqCst), 0, "nothing was sent to strangers");
    let note = ask(&bench, "localhost", &proxy, "roots.pem").ends(0).out;
    assert!(note.contains("w.example"), "{note}");
    assert_eq!(proxy.passed.load(Ordering::SeqCst), 1);
}
