//! Owns `where`: what each of the six steps says about ledger and scope, the one that decides, and what
//! is wrong with any of them.

use std::fmt::Display;

use serde_json::{Value, json};

use super::Done;
use crate::args::Global;
use crate::context::{Said, every_ledger, every_scope, whole};
use crate::exit::{Code, Failure};
use crate::output::{Out, human};

/// Explains the choice. Exit 2 where no command can make it.
pub(crate) fn whereabouts(global: &Global, out: &Out) -> Done {
    let ledger = every_ledger(global.ledger.as_ref())
        .into_iter()
        .map(|said| shown(said, |dir| whole(dir).map(|dir| dir.display().to_string())))
        .collect::<Result<Vec<_>, _>>()?;
    let scope = every_scope(global.scope.as_ref())
        .into_iter()
        .map(|said| shown(said, |scope| Ok(scope.to_string())))
        .collect::<Result<Vec<_>, _>>()?;
    let (ledger, scope) = (Choice::of("ledger", ledger), Choice::of("scope", scope));
    if out.json() {
        out.object(&json!({ "ledger": ledger.object(), "scope": scope.object() }))?;
    } else {
        let rows: Vec<Vec<String>> = ledger.rows().chain(scope.rows()).collect();
        human::aligned(&rows).iter().try_for_each(|line| out.line(line))?;
    }
    // The answer is given; what stands in the way of every other verb is a failure all the same.
    [ledger, scope].into_iter().find_map(|choice| choice.wrong).map_or(Ok(Code::Ok), Err)
}

/// One step with its value as text.
struct Shown {
    step: &'static str,
    place: String,
    value: Option<String>,
    wrong: Option<Failure>,
}

fn shown<T>(
    said: Said<T>,
    text: impl FnOnce(&T) -> Result<String, Failure>,
) -> Result<Shown, Failure> {
    let (value, wrong) = match said.value {
        Ok(value) => (value.as_ref().map(text).transpose()?, None),
        Err(failure) => (None, Some(failure)),
    };
    Ok(Shown { step: said.step.name(), place: said.place, value, wrong })
}

/// What the steps come to.
struct Choice {
    what: &'static str,
    steps: Vec<Shown>,
    /// The step that decides.
    chosen: Option<usize>,
    /// What keeps it from being decided.
    wrong: Option<Failure>,
}

impl Choice {
    fn of(what: &'static str, mut steps: Vec<Shown>) -> Self {
        let decides = steps.iter().position(|one| one.value.is_some() || one.wrong.is_some());
        let wrong = decides.and_then(|at| steps.get_mut(at)).and_then(|one| one.wrong.clone());
        Self { what, steps, chosen: decides.filter(|_| wrong.is_none()), wrong }
    }

    fn object(&self) -> Value {
        let chosen = self.chosen.and_then(|at| self.steps.get(at));
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|one| {
                let error = one.wrong.as_ref().map(Failure::message);
                json!({ "step": one.step, "place": one.place, "value": one.value, "error": error })
            })
            .collect();
        json!({
            "value": chosen.and_then(|one| one.value.as_deref()),
            "step": chosen.map(|one| one.step),
            "steps": steps,
        })
    }

    fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.steps.iter().enumerate().map(|(at, one)| {
            let mark = if self.chosen == Some(at) { "*" } else { " " };
            let said: &dyn Display = match (&one.value, &one.wrong) {
                (Some(value), _) => value,
                (None, Some(wrong)) => &format!("WRONG: {}", wrong.message()),
                (None, None) => &"-",
            };
            let cells = [mark, self.what, one.step].map(str::to_owned).into_iter();
            cells.chain([said.to_string(), one.place.clone()]).collect()
        })
    }
}
