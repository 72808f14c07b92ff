//! Owns TLS towards witnesses: `rustls` with `ring`, and the roots that this machine trusts.
//!
//! The roots are looked up where the system keeps them; `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
//! TLS hides who asks whom. That a cosignature counts never rests on it: that is the key's business.

use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::outcome::Unwitnessed;

/// Shakes hands with a host over an open connection.
pub(super) async fn connect(
    host: &str,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, Unwitnessed> {
    let failed = |why: String| Unwitnessed::Unreachable(format!("TLS: {why}"));
    let name = ServerName::try_from(host.to_owned()).map_err(|error| failed(error.to_string()))?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?
        .with_root_certificates(roots().map_err(failed)?)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.map_err(|error| failed(error.to_string()))
}

fn roots() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable > 0 {
        return Ok(roots);
    }
    let why = found.errors.first().map_or_else(String::new, |error| format!(" ({error})"));
    Err(format!("this machine has no root certificates{why}; name a file of them in SSL_CERT_FILE"))
}
