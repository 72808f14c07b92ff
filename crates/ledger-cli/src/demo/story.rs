//! Owns the story that the demonstration tells: a coding agent and a support agent between January
//! and June 2026. The texts are made up. Everything else that is printed comes from the ledger.

use memledger::format::{BodyType, Layer, Trust};

/// Where the coding agent works.
pub(super) const WEB: &str = "org/acme/project/web";
/// Where the support agent works.
pub(super) const DESK: &str = "org/acme/team/desk";
/// The customer who asks to be forgotten.
pub(super) const CUSTOMER: &str = "Mara Lind";

/// The memory that changes the refund rule.
pub(super) const RULE: Name = "fare-2";
/// The memory that closes the oldest one.
pub(super) const NEWEST: Name = "pnpm";
/// The memory that misled.
pub(super) const MISLED: Name = "workaround";

/// One thing that happens.
pub(super) struct Scene {
    /// When, as RFC 3339.
    pub(super) at: &'static str,
    /// What.
    pub(super) act: Act,
}

/// A name for a memory inside the story.
pub(super) type Name = &'static str;

pub(super) enum Act {
    /// Somebody writes.
    Write(Words),
    /// Somebody says again what is known.
    Confirm(Name, &'static str),
    /// An agent acted on it.
    Use(Name, &'static str),
    /// A memory misled.
    PushDown(Name, &'static str, &'static str),
    /// Everything about a person goes out of ordinary reads.
    Forget(&'static str, &'static str),
}

/// A memory of the story.
pub(super) struct Words {
    pub(super) name: Name,
    pub(super) text: &'static str,
    pub(super) scope: &'static str,
    pub(super) by: &'static str,
    pub(super) source: &'static str,
    pub(super) layer: Layer,
    pub(super) body: BodyType,
    pub(super) trust: Option<Trust>,
    pub(super) closes: Option<Name>,
    pub(super) about: Option<&'static str>,
}

const NOTE: Words = Words {
    name: "",
    text: "",
    scope: WEB,
    by: "person:priya",
    source: "",
    layer: Layer::Project,
    body: BodyType::Note,
    trust: None,
    closes: None,
    about: None,
};

/// The story in order.
pub(super) const STORY: &[Scene] = &[
    Scene {
        at: "2026-01-12T09:30:00Z",
        act: Act::Write(Words {
            name: "npm",
            text: "Install packages with npm.",
            source: "chat:standup/2026-01-12#4",
            ..NOTE
        }),
    },
    Scene {
        at: "2026-01-20T08:00:00Z",
        act: Act::Write(Words {
            name: "fare",
            text: "A refund can be asked for within 90 days of the trip.",
            scope: DESK,
            source: "file:policies/refunds.md@v3",
            layer: Layer::Canonical,
            body: BodyType::Canonical,
            trust: Some(Trust::Approved),
            ..NOTE
        }),
    },
    Scene {
        at: "2026-02-03T16:12:00Z",
        act: Act::Write(Words {
            name: "workaround",
            text: "When the build hangs, delete the lock file and install again.",
            by: "agent:coder",
            source: "tool:shell/run-311",
            ..NOTE
        }),
    },
    Scene {
        at: "2026-02-14T11:45:00Z",
        act: Act::Write(Words {
            name: "window",
            text: "Mara Lind wants a window seat and answers by e-mail only.",
            scope: DESK,
            by: "agent:desk",
            source: "chat:case-88#2",
            about: Some(CUSTOMER),
            ..NOTE
        }),
    },
    Scene {
        at: "2026-02-20T10:00:00Z",
        act: Act::Write(Words {
            name: "small",
            text: "Priya prefers small pull requests, one change each.",
            source: "user:review/2026-02-20",
            ..NOTE
        }),
    },
    Scene { at: "2026-03-09T10:05:00Z", act: Act::Confirm("small", "said again in review") },
    Scene { at: "2026-03-10T15:20:00Z", act: Act::Use("small", "split pull request 412 in two") },
    Scene {
        at: "2026-04-02T09:00:00Z",
        act: Act::Write(Words {
            name: "fare-2",
            text: "A refund can be asked for within 30 days of the trip.",
            scope: DESK,
            source: "file:policies/refunds.md@v4",
            layer: Layer::Canonical,
            body: BodyType::Canonical,
            trust: Some(Trust::Approved),
            closes: Some("fare"),
            ..NOTE
        }),
    },
    Scene {
        at: "2026-04-21T17:40:00Z",
        act: Act::PushDown(
            "workaround",
            "deleting the lock file broke the release of April 21",
            "tool:ci/build-5120",
        ),
    },
    Scene {
        at: "2026-06-02T09:10:00Z",
        act: Act::Write(Words {
            name: "pnpm",
            text: "Install packages with pnpm, not npm.",
            source: "chat:standup/2026-06-02#1",
            closes: Some("npm"),
            ..NOTE
        }),
    },
    Scene {
        at: "2026-06-18T14:00:00Z",
        act: Act::Forget(CUSTOMER, "she asked to be forgotten (case 131)"),
    },
];
