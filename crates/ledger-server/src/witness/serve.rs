//! Owns the sockets of a witness: HTTP/1.1 on tokio, in front of [`Witness::add_checkpoint`].
//!
//! Invariants: a request is bounded in bytes and in time, and so is the number of connections; a
//! request that was begun is answered before a shutdown ends, within a limit. Plain HTTP: whoever
//! wants TLS puts a proxy in front.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use ledger_proof::MAX_NOTE_BYTES;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::service::{Decision, Reply, Witness};
use crate::error::{ServerError, ServerErrorKind};

const PATH: &str = "/add-checkpoint";
/// Longest request: 63 hashes, the old size, and the longest note.
const MAX_BODY: usize = 4_096 + MAX_NOTE_BYTES;

/// What a witness puts up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; further ones are closed unanswered.
    pub connections: usize,
    /// How long one connection, which carries one request, may last.
    pub patience: Duration,
    /// How long requests that were begun are waited for at the end.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let [patience, grace] = [15, 5].map(Duration::from_secs);
        Self { connections: 128, patience, grace }
    }
}

type Answer = Response<Full<Bytes>>;
type Now = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Serves a witness within limits until SIGINT or SIGTERM. `ready` gets the address that is listened on, `observe`
/// every decision; `now` gives the time in seconds since 1970.
///
/// # Errors
/// [`ServerErrorKind::Unavailable`] when it cannot listen.
pub fn serve(
    witness: Witness,
    address: SocketAddr,
    limits: Limits,
    now: Now,
    ready: impl FnOnce(SocketAddr),
    observe: impl FnMut(&Decision),
) -> Result<(), ServerError> {
    let failed = |error: std::io::Error| {
        ServerError::new(ServerErrorKind::Unavailable, format!("{address}: {error}"))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(failed)?.block_on(async move {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let stop = async move {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        };
        ready(listener.local_addr().map_err(failed)?);
        accept(Arc::new(witness), listener, limits, now, stop, observe).await;
        Ok(())
    })
}

async fn accept(
    witness: Arc<Witness>,
    listener: TcpListener,
    limits: Limits,
    now: Now,
    stop: impl Future<Output = ()>,
    mut observe: impl FnMut(&Decision),
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(decision) = told.recv() => observe(&decision),
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                // Out of descriptors, or gone before it was taken: the next one may do better.
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                // More than are served at once are closed; a log asks again.
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                let (witness, now, tell) = (Arc::clone(&witness), Arc::clone(&now), tell.clone());
                connections.spawn(async move {
                    let served = connection(stream, witness, now, tell);
                    let _ = timeout(limits.patience, served).await;
                    drop(place);
                });
            }
        }
    }
    drop(listener);
    // A note that is being kept is kept in any case, by a thread that the runtime waits for.
    let _ = timeout(limits.grace, async { while connections.join_next().await.is_some() {} }).await;
    connections.shutdown().await;
    drop(tell);
    while let Some(decision) = told.recv().await {
        observe(&decision);
    }
}

async fn connection(
    stream: TcpStream,
    witness: Arc<Witness>,
    now: Now,
    tell: mpsc::UnboundedSender<Decision>,
) {
    let service = service_fn(move |request| {
        let (witness, now, tell) = (Arc::clone(&witness), Arc::clone(&now), tell.clone());
        async move { Ok::<_, Infallible>(answer(request, witness, now, tell).await) }
    });
    // Whoever breaks HTTP or goes away has no answer to wait for.
    let _ = http1::Builder::new()
        // Who sends no whole head is cut off like who sends no whole body: by whoever calls.
        .header_read_timeout(None)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(
    request: Request<Incoming>,
    witness: Arc<Witness>,
    now: Now,
    tell: mpsc::UnboundedSender<Decision>,
) -> Answer {
    if request.uri().path() != PATH {
        return text(StatusCode::NOT_FOUND, "a witness answers POST /add-checkpoint\n");
    }
    if request.method() != Method::POST {
        return text(StatusCode::METHOD_NOT_ALLOWED, "this is asked with POST\n");
    }
    let Ok(body) = Limited::new(request.into_body(), MAX_BODY).collect().await else {
        return text(StatusCode::PAYLOAD_TOO_LARGE, "the request is cut off or too long\n");
    };
    let body = body.to_bytes();
    let decided = tokio::task::spawn_blocking(move || witness.add_checkpoint(&body, now())).await;
    let Ok((reply, decision)) = decided else {
        return text(StatusCode::INTERNAL_SERVER_ERROR, "this witness failed\n");
    };
    // Whoever listens goes last.
    let _ = tell.send(decision);
    respond(reply)
}

fn text(status: StatusCode, body: &str) -> Answer {
    let content_type = "text/plain; charset=utf-8";
    respond(Reply { status: status.as_u16(), content_type, body: body.to_owned() })
}

fn respond(reply: Reply) -> Answer {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = Response::new(Full::new(Bytes::from(reply.body)));
    *response.status_mut() = status;
    let value = HeaderValue::from_static(reply.content_type);
    response.headers_mut().insert(CONTENT_TYPE, value);
    response
}
