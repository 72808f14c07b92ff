//! Owns one line of a fact table: subject, predicate, object, and when.
//!
//! Five columns: start and end, the end column may be missing or empty. Four columns with a whole day:
//! what happened on that day.

use memledger::format::Micros;

use super::date::Unit;

/// A fact as its line says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) subject: String,
    pub(crate) predicate: String,
    pub(crate) object: String,
    pub(crate) from: Option<Micros>,
    pub(crate) until: Option<Micros>,
}

/// Reads a line without its end.
pub(crate) fn parse(line: &[u8]) -> Result<Fact, String> {
    let text = std::str::from_utf8(line)
        .map_err(|error| format!("not valid UTF-8 at byte {}", error.valid_up_to()))?;
    let cells: Vec<&str> = text.split('\t').collect();
    let (names, start, end) = match cells.as_slice() {
        [subject, predicate, object, start, end] => {
            ([subject, predicate, object], *start, Some(*end))
        }
        [subject, predicate, object, start] => ([subject, predicate, object], *start, None),
        _ => {
            return Err(format!(
                "{} columns; a fact has subject, predicate, object, start and maybe end, separated by tabs",
                cells.len()
            ));
        }
    };
    for (what, name) in ["subject", "predicate", "object"].iter().zip(names) {
        if name.trim().is_empty() {
            return Err(format!("the {what} is empty"));
        }
    }
    let start = unit(start)?;
    let (from, until) = match end {
        None if matches!(start, Unit::Day(..)) => (start.begin(), start.after()),
        None => (start.begin(), None),
        Some(end) => (start.begin(), unit(end)?.after()),
    };
    if let (Some(begin), Some(after)) = (from, until)
        && begin >= after
    {
        return Err("it ends before it begins".to_owned());
    }
    let [subject, predicate, object] = names.map(|name| (*name).to_owned());
    Ok(Fact { subject, predicate, object, from, until })
}

fn unit(cell: &str) -> Result<Unit, String> {
    if cell.is_empty() { Ok(Unit::Unknown) } else { Unit::parse(cell) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memledger::civil::parse_instant;

    fn at(day: &str) -> Option<Micros> {
        Some(parse_instant(&format!("{day}T00:00:00Z")).unwrap())
    }

    #[test]
    fn the_forms_of_a_line() {
        for (line, from, until) in [
            ("3962\t14\t3927\t1926-##-##\t1929-##-##", at("1926-01-01"), at("1930-01-01")),
            ("250\t1\t241\t1968-##-##\t####-##-##", at("1968-01-01"), None),
            ("250\t1\t241\t####-##-##\t1968-##-##", None, at("1969-01-01")),
            ("250\t1\t241\t####-##-##\t####-##-##", None, None),
            ("250\t1\t241\t1968-##-##\t", at("1968-01-01"), None),
            ("250\t1\t241\t1968-##-##", at("1968-01-01"), None),
            ("Citizen (India)\tThreaten\tCompany\t2014-06-20", at("2014-06-20"), at("2014-06-21")),
            ("a\tb\tc\t2008-05-##\t2008-##-##", at("2008-05-01"), at("2009-01-01")),
        ] {
            let fact = parse(line.as_bytes()).unwrap();
            assert_eq!((fact.from, fact.until), (from, until), "{line}");
        }
        let fact = parse("a b\tp\u{2028}\té\t360-##-##".as_bytes()).unwrap();
        assert_eq!((fact.subject.as_str(), fact.predicate.as_str()), ("a b", "p\u{2028}"));
        assert_eq!(fact.object, "é");
    }

    #[test]
    fn every_kind_of_bad_line_is_named() {
        for (line, reason) in [
            (b"a\tb\tc".as_slice(), "3 columns"),
            (b"a\tb\tc\t1926-##-##\t1927-##-##\tx", "6 columns"),
            (b"a b c 1926-##-##", "1 columns"),
            (b"\tb\tc\t1926-##-##", "subject is empty"),
            (b"a\t \tc\t1926-##-##", "predicate is empty"),
            (b"a\tb\t\t1926-##-##", "object is empty"),
            (b"a\tb\tc\tonce", "no date"),
            (b"a\tb\tc\t1926-##-##\tlater", "no date"),
            (b"a\tb\tc\t1927-##-##\t1926-##-##", "ends before it begins"),
            (b"a\tb\tc\t1926-02-30\t1926-##-##", "1926"),
            (b"a\tb\t\xff\t1926-##-##", "UTF-8 at byte 4"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
