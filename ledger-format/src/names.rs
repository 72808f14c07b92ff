//! Owns the numbered words used inside record bodies. The numbers are stored and never reused.

numbered! {
    /// What a memory is for, and when it steps aside.
    Layer: u8 {
        /// Context of the task in hand.
        Session = 1 => "session",
        /// Where today's work stands: one open value per key.
        Day = 2 => "day",
        /// Lessons, decisions and preferences that last.
        Project = 3 => "project",
        /// What happened.
        Episodic = 4 => "episodic",
        /// What is held to be true.
        Semantic = 5 => "semantic",
        /// Skills.
        Procedural = 6 => "procedural",
        /// Canonical rules, policies, product boundaries.
        Canonical = 7 => "canonical",
        /// Direct orders.
        Instruction = 8 => "instruction",
        /// Compressed views.
        Summary = 9 => "summary",
    }
}

numbered! {
    /// The shape of a memory's content.
    BodyType: u8 {
        /// Raw words of a conversation.
        Message = 1 => "message",
        /// Free text.
        Note = 2 => "note",
        /// Subject, predicate, object.
        Fact = 3 => "fact",
        /// A task and how it went.
        Episode = 4 => "episode",
        /// An order and the message that gave it.
        Instruction = 5 => "instruction",
        /// What was decided, why, by whom.
        Decision = 6 => "decision",
        /// One clause of a canonical document, or `*` for the whole.
        Canonical = 7 => "canonical",
        /// A procedure.
        Skill = 8 => "skill",
        /// A compressed view of other memories.
        Summary = 9 => "summary",
        /// What was tried and failed.
        Failure = 10 => "failure",
        /// Opaque bytes kept for a client.
        State = 11 => "state",
    }
}

numbered! {
    /// How far a memory is trusted. Ordered: a larger number is more trust.
    Trust: u8 {
        /// Not even claimed to hold.
        Draft = 1 => "draft",
        /// Claimed, not checked.
        Unverified = 2 => "unverified",
        /// Checked by a recorded verification.
        Verified = 3 => "verified",
        /// Approved by a person.
        Approved = 4 => "approved",
    }
}

numbered! {
    /// Where the words of a memory came from.
    SourceKind: u8 {
        /// No source was given: the memory is background only.
        None = 0 => "none",
        /// A message of a conversation.
        Chat = 1 => "chat",
        /// A statement of a user outside a conversation.
        User = 2 => "user",
        /// The result of a tool.
        Tool = 3 => "tool",
        /// The inference of a model.
        Model = 4 => "model",
        /// A file.
        File = 5 => "file",
        /// A web page.
        Web = 6 => "web",
        /// Another system's data.
        Import = 7 => "import",
        /// An earlier recall from this ledger.
        Recall = 8 => "recall",
        /// The system itself.
        System = 9 => "system",
    }
}

numbered! {
    /// What the write gate said.
    Verdict: u8 {
        /// Stored with the trust and lifetime named.
        Committed = 1 => "committed",
        /// Stored as a draft with a short life.
        Redirected = 2 => "redirected",
        /// Stored, but not in force until approved.
        Pending = 3 => "pending",
        /// Already there.
        Duplicate = 4 => "duplicate",
        /// Not stored.
        Refused = 5 => "refused",
    }
}

numbered! {
    /// Who caused a record.
    ActorKind: u8 {
        /// The ledger itself.
        System = 1 => "system",
        /// A person.
        Person = 2 => "person",
        /// An agent.
        Agent = 3 => "agent",
        /// A service or an importer.
        Service = 4 => "service",
    }
}

numbered! {
    /// What an alias stands for.
    AliasKind: u8 {
        /// One segment of a scope path; the parent is the segment before it.
        Scope = 1 => "scope",
        /// A person a memory is about.
        Person = 2 => "person",
        /// Somebody or something that acts.
        Actor = 3 => "actor",
        /// The slot name of a keyed memory; the parent is its scope.
        Key = 4 => "key",
        /// A subject or predicate of a fact.
        Term = 5 => "term",
        /// A task.
        Task = 6 => "task",
        /// A registered source.
        Source = 7 => "source",
        /// A free label.
        Tag = 8 => "tag",
        /// A domain label.
        Domain = 9 => "domain",
        /// A model or prompt version.
        Model = 10 => "model",
        /// A stated purpose.
        Purpose = 11 => "purpose",
    }
}

numbered! {
    /// Why a memory stopped applying.
    CloseKind: u8 {
        /// The world changed: validity ends at a time.
        Changed = 1 => "changed",
        /// It was never true: no validity is left from this record on.
        Wrong = 2 => "wrong",
    }
}

numbered! {
    /// For which questions a push-down counts.
    Reach: u8 {
        /// For every question.
        Everything = 1 => "everything",
        /// For questions like the one named.
        Like = 2 => "like",
    }
}

numbered! {
    /// How something went.
    Outcome: u8 {
        /// As intended.
        Ok = 1 => "ok",
        /// Not at all.
        Failed = 2 => "failed",
        /// In part.
        Partial = 3 => "partial",
    }
}

numbered! {
    /// Why memories were recorded as run out.
    ExpireCause: u8 {
        /// Their lifetime ended.
        Ttl = 1 => "ttl",
        /// Nobody reviewed them in time.
        Review = 2 => "review",
        /// Their task ended.
        TaskEnd = 3 => "task_end",
        /// Their day ended.
        DayEnd = 4 => "day_end",
    }
}

numbered! {
    /// Why a new epoch began.
    EpochReason: u8 {
        /// The ledger was made.
        Created = 1 => "created",
        /// A process opened it for writing.
        Opened = 2 => "opened",
        /// It was restored from a backup.
        Restored = 3 => "restored",
        /// Another process took over.
        TakenOver = 4 => "taken_over",
    }
}

numbered! {
    /// What a read receipt stands for.
    ReceiptWhat: u8 {
        /// The memories were open and readable.
        Knew = 1 => "knew",
        /// The memories were returned.
        Saw = 2 => "saw",
        /// The memories were cited.
        Used = 3 => "used",
    }
}

numbered! {
    /// How receipts of a scope are kept.
    ReceiptMode: u8 {
        /// Appended soon; the answer does not wait.
        Grouped = 1 => "grouped",
        /// Appended before the answer is given.
        Durable = 2 => "durable",
        /// Only some are kept.
        Sampled = 3 => "sampled",
    }
}

numbered! {
    /// A decision of a person.
    Decision: u8 {
        /// Yes.
        Approve = 1 => "approve",
        /// No.
        Reject = 2 => "reject",
    }
}

numbered! {
    /// State of a principal, a token or a grant.
    Standing: u8 {
        /// In force.
        Active = 1 => "active",
        /// Not in force any more.
        Revoked = 2 => "revoked",
    }
}

numbered! {
    /// How far an erasure went.
    EraseLevel: u8 {
        /// Keys, bytes and derivatives in the ledger's files are gone.
        Files = 1 => "files",
        /// The master key was replaced and the old one destroyed too.
        MasterKey = 2 => "master_key",
    }
}

numbered! {
    /// State of a skill version.
    SkillPhase: u8 {
        /// Tried on low-risk tasks.
        Canary = 1 => "canary",
        /// In general use.
        Promoted = 2 => "promoted",
        /// Withdrawn in favour of the version before.
        RolledBack = 3 => "rolled_back",
    }
}

numbered! {
    /// State of a summary.
    SummaryPhase: u8 {
        /// Checked against what it covers.
        Verified = 1 => "verified",
        /// Found to say what its sources do not.
        Drifted = 2 => "drifted",
        /// Withdrawn in favour of an earlier generation.
        RolledBack = 3 => "rolled_back",
    }
}

numbered! {
    /// What a repair did.
    RepairKind: u8 {
        /// Dropped a batch that was never acknowledged.
        DroppedTail = 1 => "dropped_tail",
        /// Rebuilt the views.
        RebuiltViews = 2 => "rebuilt_views",
        /// Wrote a head anchor anew.
        RecreatedAnchor = 3 => "recreated_anchor",
    }
}

numbered! {
    /// A recurring job or an import, export or backup format.
    Job: u16 {
        /// Marks what has run out.
        ExpirySweep = 1 => "expiry_sweep",
        /// Applies retention.
        Retention = 2 => "retention",
        /// Runs due erasures.
        Erasure = 3 => "erasure",
        /// Verifies the ledger.
        SelfVerify = 4 => "self_verify",
        /// Re-reads registered sources.
        SourceSync = 5 => "source_sync",
        /// Takes a backup.
        Backup = 6 => "backup",
        /// Merges and archives.
        Compaction = 7 => "compaction",
        /// History of a file in a git repository.
        Git = 32 => "git",
        /// A folder of dated revisions.
        History = 33 => "history",
        /// Tab-separated facts.
        Triples = 34 => "triples",
        /// The ledger's own interchange.
        Jsonl = 35 => "jsonl",
    }
}
