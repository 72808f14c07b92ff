//! The rules of another scanner, read from its configuration and applied as it applies them: a keyword
//! of the rule is in the text, the expression matches, the secret is the first group that took part, its
//! entropy is above the rule's, and no list of the rule or of all rules excuses it.

use std::path::Path;

use regex::bytes::{Regex, RegexBuilder};

#[derive(Default)]
pub struct Rule {
    pub id: String,
    pub expression: String,
    pub entropy: Option<f64>,
    pub group: usize,
    pub keywords: Vec<String>,
    pub allowed: Vec<Allowed>,
}

/// A list of excuses.
#[derive(Default)]
pub struct Allowed {
    pub target: String,
    pub both: bool,
    pub paths: Vec<String>,
    pub regexes: Vec<String>,
    pub stopwords: Vec<String>,
}

pub struct Rules {
    pub rules: Vec<Rule>,
    pub global: Allowed,
}

/// Reads as much of TOML as that file uses.
pub fn read(path: &Path) -> Rules {
    let text = std::fs::read_to_string(path).unwrap();
    let mut rules = Rules { rules: Vec::new(), global: Allowed::default() };
    let mut table = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('[') {
            table = line.trim_matches(|mark| mark == '[' || mark == ']').to_owned();
            match table.as_str() {
                "rules" => rules.rules.push(Rule::default()),
                "rules.allowlists" => {
                    rules.rules.last_mut().unwrap().allowed.push(Allowed::default())
                }
                _ => {}
            }
        } else if let Some((key, value)) =
            line.split_once(" = ").filter(|_| !line.starts_with([' ', '#']))
        {
            let mut value = value.to_owned();
            while value.starts_with('[') && !value.ends_with(']') {
                value.push_str(lines.next().unwrap().trim());
            }
            match table.as_str() {
                "allowlist" => rules.global.set(key, &value),
                "rules" => rules.rules.last_mut().unwrap().set(key, &value),
                "rules.allowlists" => {
                    rules.rules.last_mut().unwrap().allowed.last_mut().unwrap().set(key, &value)
                }
                _ => {}
            }
        }
    }
    rules
}

/// The strings of a value: one, or a list.
fn strings(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some(at) = rest.find(['"', '\'']) {
        rest = &rest[at..];
        let quote = if rest.starts_with("'''") { "'''" } else { &rest[..1] };
        rest = &rest[quote.len()..];
        let end = rest.find(quote).unwrap();
        found.push(rest[..end].to_owned());
        rest = &rest[end + quote.len()..];
    }
    found
}

impl Rule {
    fn set(&mut self, key: &str, value: &str) {
        match key {
            "id" => self.id = strings(value).remove(0),
            "regex" => self.expression = strings(value).remove(0),
            "entropy" => self.entropy = Some(value.parse().unwrap()),
            "secretGroup" => self.group = value.parse().unwrap(),
            "keywords" => self.keywords = strings(value),
            _ => {}
        }
    }
}

impl Allowed {
    fn set(&mut self, key: &str, value: &str) {
        match key {
            "regexTarget" => self.target = strings(value).remove(0),
            "condition" => self.both = value.contains("AND"),
            "paths" => self.paths = strings(value),
            "regexes" => self.regexes = strings(value),
            "stopwords" => self.stopwords = strings(value),
            _ => {}
        }
    }
}

/// A rule that is ready to be applied.
pub struct Applied<'a> {
    rule: &'a Rule,
    expression: Regex,
    allowed: Vec<(&'a Allowed, Vec<Regex>)>,
}

/// A brace that counts nothing is a brace in RE2 and a mistake here.
pub fn translate(expression: &str) -> String {
    let counts = Regex::new(r"^\{[0-9]+(,[0-9]*)?\}").unwrap();
    let mut out = String::new();
    let mut escaped = false;
    for (at, read) in expression.char_indices() {
        if read == '{' && !escaped && !counts.is_match(&expression.as_bytes()[at..]) {
            out.push('\\');
        }
        escaped = read == '\\' && !escaped;
        out.push(read);
    }
    out
}

pub fn compile(expression: &str) -> Regex {
    let expression = translate(expression);
    RegexBuilder::new(&expression).unicode(false).size_limit(1 << 28).build().unwrap()
}

impl<'a> Applied<'a> {
    pub fn new(rule: &'a Rule, global: &'a Allowed) -> Applied<'a> {
        let lists = rule.allowed.iter().chain([global]).filter(|list| !list.both);
        let allowed =
            lists.map(|list| (list, list.regexes.iter().map(|regex| compile(regex)).collect()));
        Applied { rule, expression: compile(&rule.expression), allowed: allowed.collect() }
    }

    pub fn accepts(&self, text: &[u8]) -> bool {
        let lower = text.to_ascii_lowercase();
        let named = self.rule.keywords.iter().any(|word| contains(&lower, word.as_bytes()));
        named
            && self.expression.captures_iter(text).any(|found| {
                let whole = found.get(0).unwrap();
                let first =
                    || found.iter().skip(1).flatten().find(|group| !group.as_bytes().is_empty());
                let group = if self.rule.group > 0 { found.get(self.rule.group) } else { first() };
                let secret = group.unwrap_or(whole).as_bytes();
                let secret = secret.strip_suffix(b"\n").unwrap_or(secret);
                let rich = self.rule.entropy.is_none_or(|least| shannon(secret) > least);
                rich && !self.excuses(text, whole.range(), secret)
            })
    }

    fn excuses(&self, text: &[u8], whole: std::ops::Range<usize>, secret: &[u8]) -> bool {
        let start =
            text[..whole.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = text[whole.end..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |at| whole.end + at);
        let lower = secret.to_ascii_lowercase();
        self.allowed.iter().any(|(list, regexes)| {
            let target = match list.target.as_str() {
                "match" => &text[whole.clone()],
                "line" => &text[start..end],
                _ => secret,
            };
            regexes.iter().any(|regex| regex.is_match(target))
                || list
                    .stopwords
                    .iter()
                    .any(|word| contains(&lower, word.to_lowercase().as_bytes()))
        })
    }
}

pub fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

fn shannon(secret: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    secret.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = secret.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    shares.map(|share| -share * share.log2()).sum()
}
