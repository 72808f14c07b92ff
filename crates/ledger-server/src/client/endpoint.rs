//! Owns where a witness is reached: the parts of its submission prefix.

use hyper::Uri;

use super::outcome::Unwitnessed;

const CALL: &str = "/add-checkpoint";

/// Where a witness is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// A name or an address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Host and port as the header names them.
    pub(super) authority: String,
    pub(super) path: String,
    /// Whether it is spoken to over TLS.
    pub(super) sealed: bool,
}

impl Endpoint {
    /// Reads a submission prefix.
    pub(super) fn parse(url: &str) -> Result<Self, Unwitnessed> {
        let wrong = |why| Unwitnessed::Url { url: url.to_owned(), why };
        let uri: Uri = url.parse().map_err(|_| wrong("it is no URL"))?;
        let sealed = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong("a witness is reached at http:// or https://")),
        };
        if uri.query().is_some() || url.contains('#') {
            return Err(wrong("a prefix that a path follows has no query and no fragment"));
        }
        let authority = uri.authority().ok_or_else(|| wrong("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("it holds a name or a password, and nothing is sent with those"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(wrong("it names no host"));
        }
        let port = authority.port_u16().unwrap_or(if sealed { 443 } else { 80 });
        let path = format!("{}{CALL}", uri.path().trim_end_matches('/'));
        Ok(Self { host, port, authority: authority.to_string(), path, sealed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_taken_apart() {
        let parts = |url| {
            let found = Endpoint::parse(url).unwrap();
            (found.host, found.port, found.path, found.sealed)
        };
        let plain = |host: &str, port, path: &str| (host.to_owned(), port, path.to_owned(), false);
        assert_eq!(parts("http://w.example"), plain("w.example", 80, "/add-checkpoint"));
        assert_eq!(parts("http://w.example:7380/"), plain("w.example", 7380, "/add-checkpoint"));
        assert_eq!(parts("http://[::1]:9/a/b/"), plain("::1", 9, "/a/b/add-checkpoint"));
        assert_eq!(parts("https://w.example/w").1, 443);
        assert!(parts("https://w.example/w").3);
    }

    #[test]
    fn what_is_no_prefix_is_refused_and_says_why() {
        for url in [
            "",
            "w.example",
            "ftp://w.example",
            "http://",
            "http:///x",
            "/add-checkpoint",
            "http://user:secret@w.example",
            "http://w.example?q",
            "http://w.example/#f",
            "http://w example",
        ] {
            let refused = Endpoint::parse(url).expect_err(url);
            assert!(matches!(refused, Unwitnessed::Url { .. }), "{url}: {refused}");
        }
    }
}
