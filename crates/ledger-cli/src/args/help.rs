//! Owns the help texts and how a refusal of the argument parser is worded.

use clap::Command;

use crate::exit::Failure;

/// The verbs in groups, as people look for them.
pub(crate) const TOP: &str = "\
{about}

{usage-heading} {usage}

Start
  init       make a ledger
  demo       a guided real run in a fresh directory
  status     size, head, anchor, lag
  where      which ledger and which scope are meant, and who says so
  key        the master key (`key check`) and the signing key (`key show`, `key rotate`)
Write and change (each is one event; nothing is overwritten)
  write      propose a memory
  close      a memory stops applying
  reopen     a closed memory applies again
  confirm    memories were confirmed
  use        memories were used
  pushdown   a memory misled: it ranks after its alternatives
  lift       take push-downs back
  contest    memories contradict each other
  resolve    decide a contest
  pin        keep through summarising
  unpin      take a pin back
  promote    raise trust or layer
  demote     lower trust or layer
  forget     take out of every ordinary read
  task       start, end, list: what is for a task steps aside with it
  sweep      record what ran out (whether it did is decided at every read)
  undo       take a submission back
  revoke     withdraw a source with everything made from it
Read (--as-of WHEN: as known then; --valid-at WHEN: as it held then)
  get        one memory
  list       what is in force
  context    what binds, where things stand, what happened, what is known; `context flush` keeps it
  history    the life of one memory
  diff       what changed between two moments
  blame      where a memory comes from and what came from it
Govern
  source     canonical files that the ledger follows: add, sync, status, remove
  skill      versions of a skill and how they did: list, show, promote, canary, rollback
  summary    verify, rollback; expand and grep down to the raw messages
  pending    what waits for persons: list, approve, reject
  review     what needs a person: waiting, contested, stale, due, unused
  policy     what the write gate goes by: show, set, test, diff, check, rollback
  poison     attacks on a ledger in memory under the policy, and what did not hold
  compact    merge what says the same, close noise, propose promotions; all of it can be taken back
  stats      verdicts, conflicts, staleness, what people did by hand, counted from the records
The archive
  log        the last records
  show       one record
  verify     check what is stored, and that no head kept elsewhere is missing
  doctor     every byte of a damaged directory
  repair     drop an unfinished tail, make views anew, write an anchor copy again
  checkpoint sign the head, so that others can hold the ledger to it
  prove      prove a record or a continuation to a stranger; `prove check` is for the stranger
  witness    run a witness, which vouches that the logs of others only grow
  rebuild    build the views from the log
In and out
  import     git, history, triples, jsonl
  export     jsonl, tiles
  backup     copy the ledger as it is now, beside whoever writes to it
  restore    make a ledger of a backup
  help       this page; `memledger help VERB` for one verb

{options}

WHEN is an instant (2026-03-03T14:00:00Z), a date (the whole local day), #seq, head or size:N.
Exit codes: 0 ok · 1 not found or empty · 2 usage · 3 integrity failure · 4 cannot be checked ·
5 blocked by a hold · 6 conflict, or held by another process · 7 refused by policy
";

const VERB: &str = "\
{about-with-newline}
{usage-heading} {usage}

{all-args}{after-help}

`memledger help` lists the flags that every verb takes.
";

pub(crate) const WHERE: &str = "\
Six steps are asked in turn; the first that says something decides, and what says something wrong is
an error:
  flag         -C DIR, --scope PATH
  environment  MEMLEDGER_DIR, MEMLEDGER_SCOPE
  dotfile      .memledger.toml in the working directory or above it: ledger = \"../support\",
               scope = \"org/acme/project/web\"; the nearest with the field counts
  prefix       the user's config.toml, [[path]] with prefix, ledger, scope: the longest prefix of the
               working directory counts
  default      the same file, [default] with ledger, scope
  fallback     the working directory, and the ledger itself
The user's file is MEMLEDGER_CONFIG, else XDG_CONFIG_HOME/memledger/config.toml, else
HOME/.config/memledger/config.toml. Links are followed before paths are compared.";
pub(crate) const INIT: &str = "\
Examples:
  memledger init demo
  memledger init demo --tz Europe/Paris --origin support-desk

--tz becomes the ledger's declared zone (default UTC): it decides what a date means.
The master key goes outside the directory. Without it the content cannot be read: back it up.";
pub(crate) const STATUS: &str = "\
Examples:
  memledger status
  memledger status --from-archive    while another process holds the ledger";
pub(crate) const WRITE: &str = "\
Examples:
  memledger write 'Install with pnpm, not npm' --source chat:2026-06-02#1 --valid-from 2026-06-02
  memledger write --fact 'web shop' 'package manager' pnpm --layer semantic --ttl 7d
  memledger write 'Use pnpm 9' --supersedes 019ab3c4-5d6e --source file:CONTRIBUTING.md
  memledger write - < note.txt
  memledger write -- '--frozen-lockfile is required'    text that begins with a hyphen
  memledger write --stdin < proposals.ndjson

Fields of a --stdin line: text fact body layer source by scope supersedes valid_from valid_until
observed_at ttl review_by subjects tags domain key derived_from confidence task idempotency_key.
Times in it carry an offset. A line that is refused is answered in its place; the rest goes on.
Kinds of source: chat user tool model file web import recall system.
Typed bodies (--body FILE) and their fields: `memledger help bodies`.";
const BODIES: &str = "\
A body is one JSON object with its type: {\"type\": \"decision\", \"text\": \"use pnpm\"}. What is marked with
? may be left out; a field that is not listed is refused; what is accepted comes back as it went in.
A message makes no claim: `list` shows it with --body-type message or --include-history only, and
`summary grep` finds it.";
pub(crate) const CLOSE: &str = "\
Examples:
  memledger close 019ab3c4-5d6e --reason 'moved to pnpm' --at 2026-06-02
  memledger close 019ab3c4-5d6e --reason 'never was so' --wrong";
pub(crate) const REOPEN: &str = "\
Example:
  memledger reopen 019ab3c4-5d6e --from 2026-09-01 --reason 'back to npm'";
pub(crate) const POISON: &str = "\
Each case plays in a ledger of its own in memory; this ledger is only asked for its policy. Exit 7
when something did not hold. `policy set` runs the same cases, and records what they came to.
Examples:
  memledger poison
  memledger poison --policy new.toml --json    in a CI";
pub(crate) const COMPACT: &str = "\
Pinned and contested memories, instructions, canonical clauses, skills, messages and failures are left
alone. What is closed stays in the archive and can be reopened; a batch has one name.
Examples:
  memledger compact --plan --scope org/acme/project/web
  memledger compact --apply --promote --by person:lead";
pub(crate) const CONTEXT: &str = "\
Four zones: goal and constraints, state summary, recent events, recalled memories. Instructions and
canonical clauses in force are always there, also those of the scopes above; what did not fit is
counted. Tokens are estimated: a quarter for an ASCII character, one for any other.
`context flush` takes lines as `write --stdin` does and records all of them or none.
Examples:
  memledger context --scope org/acme/project/web --budget 2000
  memledger context flush --by agent:coder < before-the-window-is-cut.ndjson";
pub(crate) const PUSHDOWN: &str = "\
Examples:
  memledger pushdown 019ab3c4-5d6e --reason 'CI image lacks pnpm'
  memledger pushdown 019ab3c4-5d6e --reason 'not for CI' --query 'install packages in CI'";
pub(crate) const CONTEST: &str = "\
Example:
  memledger contest 019ab3c4-5d6e 019ab3c4-77aa --reason 'two prices for one fare'";
pub(crate) const RESOLVE: &str = "\
Example:
  memledger resolve 14 --keep 019ab3c4-77aa --reason 'fare sheet of May'";
pub(crate) const FORGET: &str = "\
Prints its plan first and asks, unless --yes. The archive keeps what is forgotten: to destroy
content is another thing.
Examples:
  memledger forget 019ab3c4-5d6e --reason 'noise'
  memledger forget --subject 'user u1' --reason 'asked to' --yes";
pub(crate) const PROMOTE: &str = "\
Example:
  memledger promote 019ab3c4-5d6e --trust verified --reason 'read the fare sheet'";
pub(crate) const DEMOTE: &str = "\
Example:
  memledger demote 019ab3c4-5d6e --trust draft --reason 'hearsay'";
pub(crate) const TASK: &str = "\
A task is named with `write --task NAME` or MEMLEDGER_TASK. When it ends, its session memories and its
instructions expire in the same submission, and so do those of the tasks inside it.
Examples:
  memledger task start 'fix the build' --by agent:coder
  memledger write 'The log of run 7 is open' --layer session --task 'fix the build'
  memledger task end 'fix the build' --outcome ok";
pub(crate) const SWEEP: &str = "\
Changes no answer: what ran out has run out for every reader. It says on record when that was noticed.
Prints its plan first and asks, unless --yes. With --every, `status` says when a sweep is overdue.
Examples:
  memledger sweep --yes
  memledger sweep --every 1d --yes    run by a timer";
pub(crate) const UNDO: &str = "\
Nothing is removed: new records put each memory back to how it stood. Prints its plan first and asks,
unless --yes. Refused where later records rest on it; these are named. An undo can be undone.
Examples:
  memledger undo '#42' --reason 'wrong ticket'      all of the submission that record 42 is part of
  memledger undo 019ab3c4-5d6e-7000-8000-0123456789ab --reason 'bad import'    a job
  memledger undo '#42' --reason 'wrong ticket' --yes --json";
pub(crate) const REVOKE: &str = "\
Prints its plan first and asks, unless --yes. It is one submission: `memledger undo` takes it back.
Examples:
  memledger revoke web:shop.example/prices --reason 'the page was forged' --wrong
  memledger revoke --policy 3 --reason 'version 3 let too much in' --forget --yes";
pub(crate) const PENDING: &str = "\
Only persons decide. Whoever wrote it does not count, and nobody counts twice.
Examples:
  memledger pending list
  memledger pending approve m42 --by person:priya
  memledger pending reject m42 --by person:priya --reason 'no source'";
pub(crate) const REVIEW: &str = "\
Lists what is in force or waits, with why it needs a person: pending, contested, stale, review_due, or
unused for more than 90 days. Shows 100 at most unless --limit says otherwise.
Examples:
  memledger review
  memledger review --scope org/acme --json";
pub(crate) const GET: &str = "\
Examples:
  memledger get 019ab3c4-5d6e
  memledger get 019ab3c4-5d6e --as-of 2026-03-03 --tz America/Vancouver";
pub(crate) const LIST: &str = "\
Shows 100 at most unless --limit says otherwise, and how to go on.
Examples:
  memledger list
  memledger list --scope org/acme --layer project --json
  memledger list --as-of 2026-03-03 --include-history";
pub(crate) const DIFF: &str = "\
A date on the left means its first instant, one on the right its end: D..D is that whole day.
Examples:
  memledger diff 2026-05-31..2026-06-03
  memledger diff '#12..head'
  memledger diff 2026-05-31..2026-06-03 --valid";
pub(crate) const LOG: &str = "\
Examples:
  memledger log
  memledger log -n 5 --as-of 2026-03-03";
pub(crate) const SHOW: &str = "\
Examples:
  memledger show 12
  memledger show head --raw";
pub(crate) const VERIFY: &str = "\
One line per claim: name, verdict, how many of how many. Exit 3 for damage, 4 for what cannot be
checked. A log shorter than a kept head is a rollback, one with another root a fork.
Examples:
  memledger verify --remembered 18205:3f9a…    each run prints the head to keep for this
  memledger verify --since kept.note           says what it took on its word
  memledger verify --scheduled --quiet         every day; `status` says when a run is overdue
The head that this user saw last is always compared with; it lies in MEMLEDGER_STATE_DIR, else
XDG_STATE_HOME/memledger, else HOME/.local/state/memledger.";
pub(crate) const DOCTOR: &str = "\
Changes nothing and needs neither lock nor key. Lists every file; of a file that is damaged, every
region with its first byte, the byte where what follows begins, and the records in it. Exit 3 for
damage, 4 for what cannot be checked.
Examples:
  memledger doctor
  memledger -C ./copy doctor --json  one object for each file, then one with verdict and advice";
pub(crate) const KEY: &str = "\
Examples:
  memledger key check
  memledger key show      give one of these lines to whoever is to check your checkpoints
  memledger key rotate

The signing key lies beside the master key, outside the ledger's directory: a copy cannot sign.
Back it up too; without it no key can follow it.";
pub(crate) const REPAIR: &str = "\
Prints its plan first and asks, unless --yes. Nothing is touched where anything else is damaged, and
nothing that was acknowledged is ever cut: that comes back from a backup. What is taken out lies in
quarantine/ with a note, the log records what was done, and `verify` says how the ledger stands now;
its exit code is the one of this command.
Examples:
  memledger doctor                                        says what is wrong, and what is safe
  memledger repair tail --reason 'power cut'
  memledger repair anchor --reason 'bad sector' --yes";
pub(crate) const CHECKPOINT: &str = "\
Signs the durable head as a C2SP checkpoint, records that, and keeps the note under checkpoints/.
Give it to others: whoever has one finds out when the ledger is rolled back or forked.

With --witness-policy, witnesses are asked to cosign it: those of the policy that have a URL, and
those of --witness. Each has ten seconds; what it answers is verified with its key in the policy and
kept on the note. A policy has lines `witness NAME KEY URL`, `group NAME 2 NAME NAME NAME` and one
`quorum NAME`. http:// and https://; SSL_CERT_FILE names roots of your own. Exit 4 when the quorum is
missed, or a witness saw another history of this ledger.
Examples:
  memledger checkpoint > kept.note
  memledger checkpoint --witness-policy policy > kept.note
  memledger checkpoint --witness-policy policy --witness http://127.0.0.1:7380
  memledger checkpoint list
  memledger checkpoint show 1200";
pub(crate) const SOURCE: &str = "\
A registered file is cut into clauses at its Markdown headings, unless --whole says otherwise. `sync`
writes the clauses that are new or changed, closes those that went, and marks stale what was made from
either, in one step; it holds since the sync, or since the commit. A file that is not there changes no
clause: `source remove` says that it is over.
Examples:
  memledger source add fares docs/fares.md --document 'fare rules' --scope org/acme
  memledger source add rules --git ./repo docs/rules.md
  memledger source sync
  memledger source status --json";
pub(crate) const SKILL: &str = "\
A skill is written as a body of the type skill; episodes and failures name the version they used:
  {\"type\": \"episode\", \"task\": \"deploy\", \"outcome\": \"ok\", \"skill\": {\"name\": \"deploy\", \"version\": 2}}
A version is promoted after so many verified successes in a row, with no failure since, as the policy
says under [skills]; a person can promote it earlier with --reason.
Examples:
  memledger skill list --scope org/acme
  memledger skill show deploy --as-of 2026-03-03
  memledger skill canary deploy --version 2
  memledger skill promote deploy --by person:lead --reason \"reviewed line by line\"
  memledger skill rollback deploy --reason \"broke the build twice\"";
pub(crate) const SUMMARY: &str = "\
A summary is written as a body of the type summary that names what it covers and what of that is
pinned; a summary that drops a pinned memory is refused. A covered memory that is closed, forgotten or
erased makes it stale.
Examples:
  memledger summary verify m40
  memledger summary rollback m40 --reason \"it lost the deadline\"
  memledger summary expand m40 --as-of 2026-03-03
  memledger summary grep \"npm install\"";
pub(crate) const POLICY: &str = "\
The policy is a TOML document. What yours leaves out is as in the built-in one (`policy show --version 0`).
Setting one is a record of the ledger, and every record names the version it was judged by.
  memledger policy show > policy.toml          begin with the one in force
  memledger policy test cases.toml --policy policy.toml
  memledger policy set policy.toml --test cases.toml --reason \"facts of models live a day\"
A case:
  [[case]]
  name = \"a tool result is not verified\"
  source = \"tool\"
  text = \"The build needs Node 22\"
  expect = { verdict = \"committed\", trust = \"unverified\" }";

pub(crate) const WITNESS: &str = "\
A witness cosigns a checkpoint when it continues all it saw of that log before, and refuses a log
that was rolled back or forked. Needs no ledger. HTTP without TLS: put a proxy in front for others.
Examples:
  memledger witness init ./witness --name witness.example
  memledger witness serve ./witness --log support.example+1f2e3d4c+AbC…
  memledger witness show ./witness";
pub(crate) const PROVE: &str = "\
Writes a C2SP tlog-proof with the record's bytes in it, or, with --from, the proof that a log of so
many records is the beginning of a later one.
Examples:
  memledger prove 12 -o 12.tlog-proof
  memledger prove 12 --checkpoint kept.note
  memledger prove --from 1200 --to 1500 -o grown.proof";
pub(crate) const PROVE_CHECK: &str = "\
Examples:
  memledger prove check 12.tlog-proof --key support.example+1f2e3d4c+AbC…
  memledger prove check grown.proof --key key.txt --old kept.note";
pub(crate) const IMPORT_GIT: &str = "\
Example:
  memledger import git ./repo docs/policy.md --scope org/acme/project/web";
pub(crate) const IMPORT_HISTORY: &str = "\
The folder holds index.tsv and one file with the whole text for each revision. The columns, in this
order, separated by tabs, named in the first line:
  seq commit author_date commit_date bytes lines_added lines_removed same_as_seq file subject
author_date is since when the text held, commit_date when it was recorded there, both with an
offset; bytes is the length of the file. (deleted) as the file says that the document was removed.
A folder above several such folders imports them all.
Example:
  memledger import history ./fares --document 'fare rules' --scope org/acme";
pub(crate) const IMPORT_TRIPLES: &str = "\
A line is subject, predicate, object, start and maybe end, separated by tabs. Start and end are
dates: 1926-05-31, 1926-05-## or 1926-##-##, and ####-##-## where it is not known.
Example:
  memledger import triples facts.tsv --scope org/acme";
pub(crate) const IMPORT_JSONL: &str = "\
Makes the ledger in a new directory, or continues the same one. Every record is checked.
Example:
  memledger -C old export jsonl | memledger -C copy import jsonl -";
pub(crate) const EXPORT_JSONL: &str = "\
Records are written as they are stored, with their payloads and the key of each: whoever has the
file can read the content. With --sealed nobody can.
Examples:
  memledger export jsonl > ledger.jsonl
  memledger export jsonl --sealed > evidence.jsonl";
pub(crate) const BACKUP: &str = "\
Needs no lock: another process may be writing. The copy ends with the last record that the head
anchor covers, and is checked as a whole before it takes effect; a run that was stopped is run again.
Into a directory with an earlier backup of the same ledger only what is new is written; a backup of
another ledger, of another history or of a later head is left alone. Views are not copied, and neither
is quarantine/. The keys are not in it: back them up elsewhere.
Examples:
  memledger backup /mnt/backup/support
  memledger -C support backup ../support.backup --json";
pub(crate) const RESTORE: &str = "\
Checks the whole backup first, with the master key. DIR is missing or empty. The restored ledger begins
a new epoch and records what it was restored from and why; whoever kept a later head is told of a
rollback, and --accept-head accepts it. Erasures are known up to the end of the backup only.
A restore that was stopped is run again; for a backup older than 31 days, with --confirm-clock.
Example:
  memledger restore /mnt/backup/support ./support --reason 'disk failed on Tuesday'";
pub(crate) const EXPORT_TILES: &str = "\
Static files in the layout of C2SP tlog-tiles: checkpoint, tile/… with the Merkle tree, and
tile/entries/… with the records, which hold no text. Only what is new is written.
Example:
  memledger checkpoint > kept.note && memledger export tiles ./public";

/// The command with short help for its verbs: what every verb takes is listed once, at the top.
pub(super) fn shortened(command: Command) -> Command {
    let mut command = command;
    command.build();
    command.mut_subcommands(verb)
}

/// The shapes of typed bodies, as the facade checks them.
/// `help bodies`: the shapes of typed bodies, as the facade checks them.
pub(super) fn bodies() -> String {
    let mut text = BODIES.to_owned();
    for shape in memledger::body::SHAPES {
        text.push_str(&format!("\n  {}: {}", shape.body, shape.about));
        for field in shape.fields {
            let maybe = if field.needed { "" } else { "?" };
            text.push_str(&format!("\n    {}{maybe}  {}", field.name, field.kind.about()));
        }
    }
    text.push_str("\n  fact: subject, predicate and object, as --fact takes them\n");
    text
}

fn verb(command: Command) -> Command {
    let shown = command.mut_args(|arg| {
        let everywhere = arg.is_global_set();
        arg.hide(everywhere)
    });
    shown.help_template(VERB).mut_subcommands(verb)
}

/// The parser's refusal in our form: one sentence, and what to do.
pub(super) fn refusal(text: &str) -> Failure {
    let mut message = String::new();
    let mut hint = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("Usage:") || line.starts_with("For more information") {
            break;
        }
        if let Some(tip) = line.strip_prefix("tip: ") {
            hint.get_or_insert_with(|| tip.to_owned());
        } else if !line.is_empty() {
            if !message.is_empty() {
                message.push(' ');
            }
            message.push_str(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    let usage = text.lines().find_map(|line| line.trim().strip_prefix("Usage: "));
    Failure::usage(message).hint(match (hint, usage) {
        (Some(tip), _) => tip,
        (None, Some(usage)) => format!("usage: {usage}"),
        (None, None) => "`memledger help` lists verbs and flags".to_owned(),
    })
}
