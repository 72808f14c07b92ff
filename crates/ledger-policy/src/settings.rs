//! Owns a policy as a flat list of settings, so that two can be compared line by line.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};

use crate::{LayerRule, Policy};

/// One setting that two policies have differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its place, such as `layers.session.ttl`.
    pub setting: String,
    /// In the first policy; none: not set there.
    pub before: Option<String>,
    /// In the second.
    pub after: Option<String>,
}

impl Policy {
    /// Every setting by its place, whatever the document left out included.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        // Every field of a policy is a table, a list, a text or a number, and those always fit.
        if let Ok(table) = toml::Value::try_from(self) {
            flatten("", &table, &mut settings);
        }
        settings
    }

    /// What another policy says differently, in the order of the places.
    pub fn changes(&self, after: &Self) -> impl Iterator<Item = Changed> {
        let (before, after) = (self.settings(), after.settings());
        let places: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
        places.into_iter().filter_map(move |setting| {
            let (before, after) = (before.get(&setting).cloned(), after.get(&setting).cloned());
            (before != after).then_some(Changed { setting, before, after })
        })
    }
}

impl LayerRule {
    /// The settings of one layer by their names.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        if let Ok(table) = toml::Value::try_from(self) {
            flatten("", &table, &mut settings);
        }
        settings
    }
}

fn flatten(place: &str, value: &toml::Value, into: &mut BTreeMap<String, String>) {
    let below =
        |name: &str| if place.is_empty() { name.to_string() } else { format!("{place}.{name}") };
    match value {
        toml::Value::Table(table) => {
            table.iter().for_each(|(name, value)| flatten(&below(name), value, into));
        }
        toml::Value::Array(list) if list.iter().any(toml::Value::is_table) => {
            for (at, value) in list.iter().enumerate() {
                flatten(&format!("{place}[{}]", at + 1), value, into);
            }
        }
        toml::Value::String(text) => drop(into.insert(place.to_string(), text.clone())),
        toml::Value::Array(list) => {
            let texts: alloc::vec::Vec<&str> =
                list.iter().filter_map(toml::Value::as_str).collect();
            into.insert(place.to_string(), format!("[{}]", texts.join(", ")));
        }
        toml::Value::Integer(number) => drop(into.insert(place.to_string(), number.to_string())),
        toml::Value::Boolean(yes) => drop(into.insert(place.to_string(), yes.to_string())),
        // A policy has neither floats nor dates.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_change_is_named_by_its_place() {
        let text = "format = 1\n[layers.session]\nowner = \"agents\"\nttl = \"2h\"\ndeletion = \"expire\"\nexpiry = \"hard\"\n[facts]\nsingle_valued = [\"lives in\"]\n[[approvals]]\nlayer = \"project\"";
        let other = Policy::parse(text).expect("it is one");
        let changes: Vec<_> = Policy::built_in().changes(&other).collect();
        let line = |one: &Changed| {
            let (before, after) = (one.before.as_deref(), one.after.as_deref());
            format!("{} {} -> {}", one.setting, before.unwrap_or("-"), after.unwrap_or("-"))
        };
        let lines: Vec<_> = changes.iter().map(line).collect();
        assert_eq!(
            lines,
            [
                "approvals[1].layer - -> project",
                "approvals[1].persons - -> 1",
                "facts.single_valued [] -> [lives in]",
                "layers.session.ttl 24h -> 2h",
            ]
        );
        assert_eq!(other.changes(&other).count(), 0);
    }
}
