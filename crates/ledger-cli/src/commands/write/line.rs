//! Owns what one line of `--stdin` proposes: exactly the fields of the contract.

use memledger::format::BodyType;
use memledger::{Content, Proposal, Scope, Terms};
use serde_json::{Map, Value};

use super::field;
use super::object::{Fields, read};
use crate::args::unknown_word;
use crate::context::{Context, Step};

/// The fields of a line.
const FIELDS: [&str; 21] = [
    "text",
    "fact",
    "body",
    "layer",
    "source",
    "by",
    "scope",
    "supersedes",
    "valid_from",
    "valid_until",
    "observed_at",
    "ttl",
    "review_by",
    "subjects",
    "tags",
    "domain",
    "key",
    "derived_from",
    "confidence",
    "task",
    "idempotency_key",
];

/// Why a line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// The field, if it is one's fault.
    pub(super) field: Option<String>,
    /// What is wrong.
    pub(super) reason: String,
}

impl Refused {
    /// The refusal as a sentence.
    pub(super) fn message(&self) -> String {
        match &self.field {
            Some(field) => format!("{field}: {}", self.reason),
            None => self.reason.clone(),
        }
    }
}

/// What a line proposes.
pub(super) struct Proposed {
    pub(super) proposal: Proposal,
    pub(super) terms: Terms,
    pub(super) scope_step: Step,
}

/// Reads one line.
///
/// # Errors
/// Why it is refused.
pub(super) fn parse(ctx: &Context<'_>, bytes: &[u8]) -> Result<Proposed, Refused> {
    let fields = read(bytes)?;
    let mut draft = Draft::new(ctx.scope.clone(), ctx.scope_step);
    draft.proposal.task.clone_from(&ctx.task);
    for (name, value) in fields.0 {
        draft.take(&name, value).map_err(|reason| Refused { field: Some(name), reason })?;
    }
    draft.finish().map_err(|reason| Refused { field: None, reason })
}

/// The type that a body names itself, and the rest of it.
///
/// # Errors
/// When it names a type that does not exist.
pub(super) fn typed_body(fields: Fields) -> field::Field<(Value, Option<BodyType>)> {
    let mut body = Map::new();
    let mut named = None;
    for (name, value) in fields.0 {
        if name == "type" {
            named = Some(field::body_name(value).map_err(|reason| format!("type: {reason}"))?);
        } else {
            body.insert(name, value);
        }
    }
    Ok((Value::Object(body), named))
}

struct Draft {
    content: Option<Content>,
    proposal: Proposal,
    terms: Terms,
    scope_step: Step,
}

impl Draft {
    fn new(scope: Scope, scope_step: Step) -> Self {
        let proposal = Proposal::new(Content::Text(String::new()), scope);
        Self { content: None, proposal, terms: Terms::default(), scope_step }
    }

    fn take(&mut self, name: &str, value: Value) -> field::Field<()> {
        let proposal = &mut self.proposal;
        // A field that is null says nothing, as if it were not there.
        if value.is_null() && FIELDS.contains(&name) {
            return Ok(());
        }
        match name {
            "text" => return self.content(Content::Text(field::words(value)?)),
            "fact" => {
                let (fact, body) = field::fact(value)?;
                proposal.body = body.or(proposal.body);
                return self.content(fact);
            }
            "body" => return self.body(value),
            "layer" => proposal.layer = Some(field::layer_name(value)?),
            "source" => proposal.source = Some(field::word(value)?),
            "by" => {
                proposal.by = Some(field::word(value)?);
                self.terms.by.clone_from(&proposal.by);
            }
            "scope" => {
                proposal.scope = field::word(value)?;
                self.scope_step = Step::Field;
            }
            "supersedes" => proposal.supersedes = field::ids(value)?,
            "valid_from" => proposal.valid_from = Some(field::instant(value)?),
            "valid_until" => proposal.valid_until = Some(field::instant(value)?),
            "observed_at" => proposal.observed_at = Some(field::instant(value)?),
            "ttl" => proposal.ttl_until = Some(field::lifetime(value)?),
            "review_by" => proposal.review_by = Some(field::lifetime(value)?),
            "subjects" => proposal.subjects = field::strings(value)?,
            "tags" => proposal.tags = field::strings(value)?,
            "domain" => proposal.domain = Some(field::string(value)?),
            "key" => proposal.key = Some(field::string(value)?),
            "derived_from" => proposal.derived_from = field::ids(value)?,
            "confidence" => proposal.confidence = Some(field::confidence(value)?),
            "task" => proposal.task = Some(field::string(value)?),
            "idempotency_key" => self.terms.idempotency_key = Some(field::string(value)?),
            other => return Err(unknown_word("field", other, &FIELDS)),
        }
        Ok(())
    }

    fn body(&mut self, value: Value) -> field::Field<()> {
        let Value::Object(object) = value else {
            return Err(
                "a body is an object with its type, such as {\"type\": \"episode\", …}".to_owned()
            );
        };
        let (body, named) = typed_body(Fields(object.into_iter().collect()))?;
        self.proposal.body = named;
        self.content(Content::Body(body))
    }

    fn content(&mut self, content: Content) -> field::Field<()> {
        if self.content.is_some() {
            return Err("a line has one of text, fact and body".to_owned());
        }
        self.content = Some(content);
        Ok(())
    }

    fn finish(self) -> field::Field<Proposed> {
        let content = self.content.ok_or("a line needs one of text, fact and body")?;
        Ok(Proposed {
            proposal: Proposal { content, ..self.proposal },
            terms: self.terms,
            scope_step: self.scope_step,
        })
    }
}
