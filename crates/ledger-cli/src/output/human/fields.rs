//! Owns `label  value` lines, aligned.

use std::fmt::Display;

/// Labels with their values, in the order in which they are shown.
#[derive(Default)]
pub(crate) struct Fields(Vec<(&'static str, String)>);

impl Fields {
    /// Adds a value.
    pub(crate) fn put(&mut self, label: &'static str, value: impl Display) -> &mut Self {
        self.0.push((label, value.to_string()));
        self
    }

    /// Adds a value where there is one.
    pub(crate) fn maybe(&mut self, label: &'static str, value: Option<impl Display>) -> &mut Self {
        if let Some(value) = value {
            self.put(label, value);
        }
        self
    }

    /// Adds a value, or what stands for none.
    pub(crate) fn or(
        &mut self,
        label: &'static str,
        value: Option<impl Display>,
        none: &str,
    ) -> &mut Self {
        match value {
            Some(value) => self.put(label, value),
            None => self.put(label, none),
        }
    }

    /// The lines, each after `indent`.
    pub(crate) fn show(&self, indent: &str) -> String {
        let wide = self.0.iter().map(|(label, _)| label.len()).max();
        let wide = wide.unwrap_or_default();
        let line = |(label, value): &(&str, String)| format!("{indent}{label:wide$}  {value}");
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_aligned() {
        let mut fields = Fields::default();
        fields.put("a", 1).maybe("none", None::<u8>).or("long", None::<u8>, "nothing");
        assert_eq!(fields.show("  "), "  a     1\n  long  nothing");
    }
}
