//! Owns the answers to the three questions for people: what a memory goes back to, whether it still holds,
//! and what time took from it.

use memledger::answer::{Item, SourceLink};
use memledger::civil::{Zone, format_in};

use super::Fields;

/// Why an item says what it says of itself.
pub(crate) fn explanation(item: &Item, zone: &Zone) -> String {
    let mut fields = Fields::default();
    let ends: Vec<&str> = item.holds.ends.iter().map(|end| end.name()).collect();
    let decay = match item.decay {
        Some(parts) => format!("{}.{:02} % of its score", parts / 100, parts % 100),
        None => "none: it ends, is closed or is pinned, and does not fade".to_owned(),
    };
    let chain: Vec<String> = item.source_chain.iter().map(link).collect();
    let chain = if chain.is_empty() { "an original".to_owned() } else { chain.join(", ") };
    fields
        .put("goes back to", chain)
        .put("untouched since", format_in(item.holds.untouched_since, zone))
        .put("would end by", ends.join(", "))
        .put("confirm first", if item.holds.confirm_first { "yes" } else { "no" })
        .put("left by time", decay);
    fields.show("  ")
}

fn link(link: &SourceLink) -> String {
    let far = if link.steps > 1 { format!(", {} steps back", link.steps) } else { String::new() };
    format!("m{} ({} from {}{far})", link.seq, link.body_type, link.source_kind)
}
