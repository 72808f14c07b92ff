//! Owns passwords in addresses (RFC 3986, section 3.2.1) and in connection strings of databases.

use super::Seen;
use crate::class::{ALNUM, Class, QUOTE, SPACE};

/// The longest user and password that are looked at.
const REACH: usize = 512;

/// `scheme://user:password@host`.
pub(super) fn find(text: &[u8], start: usize, end: usize) -> Seen {
    let scheme = ALNUM.and(Class::one(b'+')).and(Class::one(b'.')).and(Class::one(b'-'));
    let stops = SPACE.and(QUOTE).and(Class::one(b'/')).and(Class::one(b'<')).and(Class::one(b'>'));
    let authority = text.get(end..end + stops.not().run(text, end, REACH))?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let user = authority.get(..at)?;
    let colon = user.iter().position(|byte| *byte == b':')?;
    let password = user.get(colon + 1..)?;
    let host = authority
        .get(at + 1..)
        .is_some_and(|host| ALNUM.at(host, 0) || host.first() == Some(&b'['));
    // `postgres:postgres@`: whoever knows the name knows the password.
    let open = user.get(..colon) == Some(password);
    let told = host && scheme.before(text, start) && !placeholder(password) && !open;
    told.then_some(("url-password", end + colon + 1..end + at))
}

/// How far before the password the rest of a connection string is looked for.
const STRING: usize = 300;

/// `Server=…;User Id=…;Password=…`: the word alone may stand in any program.
pub(super) fn connection(text: &[u8], start: usize, end: usize) -> Seen {
    let before = text.get(start.saturating_sub(STRING)..start)?;
    if before.last().is_none_or(|byte| !matches!(byte, b';' | b' ')) || !before.contains(&b';') {
        return None;
    }
    let named =
        ["server=", "source=", "host=", "uid=", "user id=", "database="].iter().any(|word| {
            before.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        });
    let stops = SPACE.and(QUOTE).and(Class::one(b';'));
    let value = end..end + stops.not().run(text, end, REACH);
    let told = named && !placeholder(text.get(value.clone())?);
    told.then_some(("connection-password", value))
}

/// What manuals write where a password belongs.
fn placeholder(password: &[u8]) -> bool {
    let opens =
        matches!(password.first(), None | Some(b'$' | b'<' | b'{' | b'[' | b'%' | b'*' | b'.'));
    let words =
        ["password", "passwd", "pass", "pwd", "secret", "token", "redacted", "your_password"];
    let known = words.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()));
    let same = password.iter().all(|byte| Some(byte) == password.first());
    opens || known || (same && password.len() < 8)
}
