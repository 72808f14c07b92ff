//! Owns values that a service's name gives away.

use super::services::Service;
use super::{Seen, assign};
use crate::class::after;
use crate::entropy::centibits;

/// How far after the name the operator may stand: `snyk_oauth_token_of_the_team =`.
const REACH: usize = 36;

pub(super) fn find(text: &[u8], end: usize, service: &'static Service) -> Seen {
    for at in assign::values(text, end, REACH) {
        for value in service.values {
            let Some(until) = after(text, at, value.shape) else { continue };
            let rich = value.floor == 0
                || text.get(at..until).is_some_and(|bytes| centibits(bytes) >= value.floor);
            if rich && assign::ends(text, until) {
                return Some((service.rule, at..until));
            }
        }
    }
    None
}
