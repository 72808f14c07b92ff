//! Owns the numbers of the event kinds. A number is never reused; a removed kind stays named.
//!
//! Gaps are left between families. An unknown number is kept byte for byte by every reader; if its
//! critical bit is set, state beyond it cannot be told and readers say so.

numbered! {
    /// What one record says happened.
    Kind: u16 {
        /// Record 0: identity, suites and limits of the ledger.
        Genesis = 1 => "genesis",
        /// A new holder took the ledger.
        Epoch = 2 => "epoch",
        /// A random alias now stands for a name.
        AliasBound = 3 => "alias_bound",
        /// A policy document took effect.
        PolicySet = 4 => "policy_set",
        /// A forward jump of the clock was confirmed, or an earlier one taken back.
        ClockCorrected = 5 => "clock_corrected",
        /// The ledger's signing key was set or replaced.
        KeyRotated = 6 => "key_rotated",
        /// The master key that masks key slots was replaced.
        MasterRotated = 7 => "master_rotated",
        /// The pepper of idempotency digests was replaced.
        PepperRotated = 8 => "pepper_rotated",
        /// A checkpoint was signed.
        CheckpointSigned = 9 => "checkpoint_signed",
        /// A setting of the ledger was changed.
        ConfigSet = 10 => "config_set",

        /// A memory was written.
        Write = 16 => "write",
        /// A memory stopped applying.
        Close = 17 => "close",
        /// A memory applies again from some time on.
        Reopen = 18 => "reopen",
        /// Memories were confirmed.
        Confirm = 19 => "confirm",
        /// Memories were used in an answer or an action.
        Use = 20 => "use",
        /// A memory misled and ranks after its alternatives.
        PushDown = 21 => "push_down",
        /// A push-down was taken back.
        Lift = 22 => "lift",
        /// Memories contradict each other.
        Contest = 23 => "contest",
        /// A contest was decided.
        Resolve = 24 => "resolve",
        /// A memory survives summarising and compaction.
        Pin = 25 => "pin",
        /// A pin was removed.
        Unpin = 26 => "unpin",
        /// Memories are gone from every ordinary read.
        Forget = 27 => "forget",
        /// Trust or layer was raised.
        Promote = 28 => "promote",
        /// Trust or layer was lowered.
        Demote = 29 => "demote",
        /// A sweep recorded that memories had run out.
        Expire = 30 => "expire",
        /// Memories may not be used while a hold or an objection stands.
        Restrict = 31 => "restrict",
        /// A restriction was lifted.
        Unrestrict = 32 => "unrestrict",
        /// What memories were made from has changed.
        Stale = 33 => "stale",
        /// All events of one job were reversed.
        Undo = 34 => "undo",

        /// What the gate said to a proposal that was not committed.
        Verdict = 40 => "verdict",
        /// A person approved or rejected something pending.
        Approval = 41 => "approval",
        /// A task began.
        TaskStarted = 42 => "task_started",
        /// A task ended.
        TaskEnded = 43 => "task_ended",
        /// An answer was given from a receipt.
        Answer = 44 => "answer",
        /// What was returned helped or misled.
        Feedback = 45 => "feedback",
        /// A read took place.
        Receipt = 46 => "receipt",
        /// Access was denied.
        Denial = 47 => "denial",
        /// Records or content left the ledger.
        Export = 48 => "export",

        /// A hold blocks erasure.
        HoldPlaced = 50 => "hold_placed",
        /// A hold ended.
        HoldLifted = 51 => "hold_lifted",
        /// An erasure was asked for; nothing is destroyed yet.
        EraseRequested = 52 => "erase_requested",
        /// One part of what an erasure will destroy.
        EraseIntent = 53 => "erase_intent",
        /// An erasure was carried out.
        EraseDone = 54 => "erase_done",

        /// A source was registered.
        SourceRegistered = 55 => "source_registered",
        /// A registered source was read again.
        SourceSynced = 56 => "source_synced",
        /// Everything from a source was withdrawn.
        SourceRevoked = 57 => "source_revoked",

        /// A recurring job got a schedule.
        ScheduleSet = 60 => "schedule_set",
        /// A recurring job ran.
        JobDone = 61 => "job_done",
        /// A backup was taken.
        BackupTaken = 62 => "backup_taken",
        /// The ledger was restored from a backup.
        Restored = 63 => "restored",
        /// A repair dropped or rebuilt something.
        Repaired = 64 => "repaired",
        /// An import began.
        ImportStarted = 65 => "import_started",
        /// An import ended.
        ImportDone = 66 => "import_done",

        /// A principal was added, changed or disabled.
        PrincipalSet = 70 => "principal_set",
        /// Rights of a principal on a scope were set.
        GrantSet = 71 => "grant_set",
        /// An access token was issued or revoked.
        TokenSet = 72 => "token_set",
        /// A test suite ran against a policy or a schema.
        SuiteResult = 73 => "suite_result",
        /// A skill became canary, promoted or rolled back.
        SkillState = 74 => "skill_state",
        /// A summary was verified, rejected or rolled back.
        SummaryState = 75 => "summary_state",
    }
}

impl Kind {
    /// Whether state cannot be told by a reader that does not know this kind. Stored as the
    /// critical bit of every record of the kind.
    #[must_use]
    pub const fn critical(self) -> bool {
        !matches!(
            self,
            Self::CheckpointSigned
                | Self::Answer
                | Self::Receipt
                | Self::Denial
                | Self::Export
                | Self::JobDone
                | Self::BackupTaken
                | Self::ImportStarted
                | Self::ImportDone
                | Self::SuiteResult
        )
    }

    /// The version of the body layout this code writes and reads.
    #[must_use]
    pub const fn version(self) -> u16 {
        1
    }
}
