//! Owns cutting a document into clauses: one for each Markdown heading, or the whole of it.
//!
//! A clause is named by the path of headings above it, so that two sections with the same heading in
//! different chapters differ; a path that comes again is numbered. Invariant: the texts of all clauses,
//! put together, are the document, but for white space at their ends. Only headings that begin with `#`
//! cut, and none inside a fenced block.

/// One clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its name within the document; `*` is the whole of it.
    pub(super) name: String,
    /// Its text, heading included.
    pub(super) text: String,
}

/// Name of what stands before the first heading.
const BEFORE: &str = "(before the first heading)";

/// Cuts a document.
pub(super) fn clauses(text: &str, whole: bool) -> Vec<Clause> {
    if whole {
        return clause("*".to_owned(), text).into_iter().collect();
    }
    let mut found: Vec<Clause> = Vec::new();
    let (mut path, mut name, mut part): (Vec<(usize, String)>, _, _) =
        (Vec::new(), BEFORE.to_owned(), String::new());
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let open = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, open) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(mark), Some(other)) if mark == other => fence = None,
            _ => {}
        }
        if let Some((level, title)) = heading(line).filter(|_| fence.is_none() && open.is_none()) {
            found.extend(clause(numbered(&found, &name), &part));
            part.clear();
            path.retain(|(above, _)| *above < level);
            path.push((level, title));
            name = path.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(" > ");
        }
        part.push_str(line);
    }
    found.extend(clause(numbered(&found, &name), &part));
    found
}

fn clause(name: String, text: &str) -> Option<Clause> {
    let text = text.trim();
    (!text.is_empty()).then(|| Clause { name, text: text.to_owned() })
}

/// A name that is taken gets a number.
fn numbered(found: &[Clause], name: &str) -> String {
    let taken = |name: &str| found.iter().any(|clause| clause.name == name);
    let mut number = 1;
    let mut free = name.to_owned();
    while taken(&free) {
        number += 1;
        free = format!("{name} ({number})");
    }
    free
}

/// Level and title of a heading.
fn heading(line: &str) -> Option<(usize, String)> {
    let line = line.trim_end();
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let title = rest.strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !title.is_empty()).then(|| (level, title.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        clauses(text, false).into_iter().map(|clause| clause.name).collect()
    }

    #[test]
    fn headings_cut_and_their_path_names() {
        let text =
            "intro\n# Fares\n## Refunds\nno\n# Bags\n## Refunds ##\nyes\n## Refunds\nagain\n";
        let expected =
            [BEFORE, "Fares", "Fares > Refunds", "Bags", "Bags > Refunds", "Bags > Refunds (2)"];
        assert_eq!(names(text), expected);
        assert_eq!(clauses(text, false)[2].text, "## Refunds\nno");
        assert_eq!(
            clauses(text, true),
            [Clause { name: "*".to_owned(), text: text.trim().to_owned() }]
        );
    }

    #[test]
    fn what_only_looks_like_a_heading_does_not_cut() {
        assert_eq!(names("# A\n```\n# not\n~~~\n# not\n```\n#tag\n####### deep\n#\n"), ["A"]);
        assert_eq!(names(""), [""; 0]);
        assert_eq!(clauses(" \n", true), []);
    }
}
