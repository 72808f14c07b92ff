//! Owns one exchange with a witness over HTTP/1.1, plain or over TLS.
//!
//! Invariants: an answer is bounded in bytes before it is held; redirections are not followed, since
//! a signed checkpoint goes where the policy says and nowhere else. May not: know the time; whoever
//! calls gives up.

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HOST, USER_AGENT};
use hyper::{Request, client::conn::http1};
use hyper_util::rt::TokioIo;
use ledger_proof::MAX_NOTE_BYTES;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::endpoint::Endpoint;
use super::outcome::Unwitnessed;
use super::tls;

const AGENT: &str = concat!("memledger/", env!("CARGO_PKG_VERSION"));
/// How much of a refusal is passed on, in characters.
const SHOWN: usize = 200;

/// What a witness answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The size that a witness answers with 409.
    pub(super) fn size(&self) -> Option<u64> {
        let digits = std::str::from_utf8(&self.body).ok()?.strip_suffix('\n')?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| plain)
    }

    /// The answer as a refusal, with what it says as far as it can be printed.
    pub(super) fn refusal(&self) -> Unwitnessed {
        let text = String::from_utf8_lossy(&self.body);
        let text = text.lines().next().unwrap_or_default().trim();
        let text = text.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
        Unwitnessed::Answered { status: self.status, text }
    }
}

/// Sends a request body to a witness.
pub(super) async fn post(endpoint: &Endpoint, body: String) -> Result<Answer, Unwitnessed> {
    let stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await;
    let stream = stream.map_err(unreachable)?;
    if endpoint.sealed {
        let stream = tls::connect(&endpoint.host, stream).await?;
        return exchange(stream, endpoint, body).await;
    }
    exchange(stream, endpoint, body).await
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    endpoint: &Endpoint,
    body: String,
) -> Result<Answer, Unwitnessed> {
    let request = Request::post(&endpoint.path)
        .header(HOST, &endpoint.authority)
        .header(USER_AGENT, AGENT)
        .header(CONTENT_TYPE, "text/plain; charset=utf-8")
        .body(Full::new(Bytes::from(body)));
    let request = request.map_err(unreachable)?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(unreachable)?;
    // It moves the bytes, and ends with the connection or with the runtime.
    tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(unreachable)?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), MAX_NOTE_BYTES).collect().await;
    let body = body.map_err(|error| Unwitnessed::Unreachable(format!("its answer: {error}")))?;
    Ok(Answer { status, body: body.to_bytes().to_vec() })
}

fn unreachable(error: impl std::error::Error) -> Unwitnessed {
    // hyper says what it was doing, and only its source why that failed.
    let why = match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    Unwitnessed::Unreachable(why)
}
