//! The whole of a storage in memory: its nodes, its names, and the count of operations.
//!
//! Invariant: the root is node 0 and a directory; a name leads to a node that exists.
//! May not: count an operation itself, except in [`State::begin`] and what is built on it.

mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rustix::io::Errno;

use super::dir::DirNode;
use super::error;
use super::fault::{Fault, FaultPlan, TraceEntry};
use super::file::FileNode;
use super::node::{Node, NodeId};
use super::survive::Survival;
use crate::storage::{Op, RelPath, StorageError};

const ROOT: NodeId = NodeId(0);

#[derive(Debug)]
pub(super) struct State {
    nodes: BTreeMap<NodeId, Node>,
    next_node: u64,
    next_change: u64,
    /// Lock files that are locked. By node, because a lock does not follow the name.
    locked: BTreeSet<NodeId>,
    pub(super) ops: u64,
    pub(super) trace: Vec<TraceEntry>,
    pub(super) plan: FaultPlan,
    pub(super) stopped: bool,
}

/// How much of an operation on content to do.
#[derive(Debug)]
pub(super) enum Extent {
    All,
    /// So many bytes; a write then fails with the error, a read does not fail.
    Part(u64, StorageError),
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            nodes: BTreeMap::from([(ROOT, Node::Dir(DirNode::new()))]),
            next_node: 1,
            next_change: 0,
            locked: BTreeSet::new(),
            ops: 0,
            trace: Vec::new(),
            plan: FaultPlan::none(),
            stopped: false,
        }
    }

    /// Counts an operation on names and lets the plan refuse it.
    pub(super) fn begin(&mut self, op: Op, path: &RelPath) -> Result<(), StorageError> {
        match self.start(op, path, None, 0)? {
            None | Some(Fault::Short { .. }) => Ok(()),
            Some(fault) => Err(self.refuse(fault, error(op, path, Errno::IO))),
        }
    }

    /// Counts an operation on content and lets the plan refuse or shorten it.
    pub(super) fn begin_at(
        &mut self,
        op: Op,
        path: &RelPath,
        offset: u64,
        len: u64,
    ) -> Result<Extent, StorageError> {
        let fault = self.start(op, path, Some(offset), len)?;
        // A new length has no part that could be done.
        let divisible = op != Op::SetLen;
        let failed = error(op, path, Errno::IO).at(offset);
        Ok(match fault {
            None => Extent::All,
            Some(Fault::Short { .. }) if !divisible => Extent::All,
            Some(Fault::Short { bytes }) => {
                let failed = StorageError { source: Errno::NOSPC.into(), ..failed };
                Extent::Part(bytes, failed)
            }
            Some(fault @ Fault::StopInside { bytes }) if divisible && op != Op::ReadAt => {
                Extent::Part(bytes, self.refuse(fault, failed))
            }
            Some(fault) => return Err(self.refuse(fault, failed)),
        })
    }

    fn start(
        &mut self,
        op: Op,
        path: &RelPath,
        offset: Option<u64>,
        len: u64,
    ) -> Result<Option<Fault>, StorageError> {
        if self.stopped {
            return Err(StorageError { source: stopped(), ..error(op, path, Errno::IO) });
        }
        let index = self.ops;
        self.ops += 1;
        self.trace.push(TraceEntry { index, op, path: path.clone(), offset, len });
        Ok(self.plan.fault(index))
    }

    fn refuse(&mut self, fault: Fault, failed: StorageError) -> StorageError {
        let source = match fault {
            Fault::Io => Errno::IO.into(),
            Fault::NoSpace | Fault::Short { .. } => Errno::NOSPC.into(),
            Fault::Stop | Fault::StopInside { .. } => {
                self.stopped = true;
                stopped()
            }
        };
        StorageError { source, ..failed }
    }

    /// A number for a change, or for several that stand or fall together.
    pub(super) fn change_id(&mut self) -> u64 {
        self.next_change += 1;
        self.next_change
    }

    pub(super) fn file(&self, id: NodeId) -> Result<&FileNode, Errno> {
        match self.nodes.get(&id) {
            Some(Node::File(file)) => Ok(file),
            Some(Node::Dir(_)) => Err(Errno::ISDIR),
            None => Err(Errno::NOENT),
        }
    }

    pub(super) fn file_mut(&mut self, id: NodeId) -> Result<&mut FileNode, Errno> {
        match self.nodes.get_mut(&id) {
            Some(Node::File(file)) => Ok(file),
            Some(Node::Dir(_)) => Err(Errno::ISDIR),
            None => Err(Errno::NOENT),
        }
    }

    pub(super) fn dir(&self, id: NodeId) -> Result<&DirNode, Errno> {
        match self.nodes.get(&id) {
            Some(Node::Dir(dir)) => Ok(dir),
            Some(Node::File(_)) => Err(Errno::NOTDIR),
            None => Err(Errno::NOENT),
        }
    }

    pub(super) fn dir_mut(&mut self, id: NodeId) -> Result<&mut DirNode, Errno> {
        match self.nodes.get_mut(&id) {
            Some(Node::Dir(dir)) => Ok(dir),
            Some(Node::File(_)) => Err(Errno::NOTDIR),
            None => Err(Errno::NOENT),
        }
    }

    /// A flush of this node failed.
    pub(super) fn abandon(&mut self, id: NodeId) {
        match self.nodes.get_mut(&id) {
            Some(Node::File(file)) => file.abandon(),
            Some(Node::Dir(dir)) => dir.abandon(),
            None => {}
        }
    }

    pub(super) fn is_locked(&self, id: NodeId) -> bool {
        self.locked.contains(&id)
    }

    pub(super) fn unlock(&mut self, id: NodeId) {
        self.locked.remove(&id);
    }

    /// What is left after a crash. Nodes keep their numbers; those that no surviving name leads to
    /// are gone. A node that two names lead to (half of a rename survived) is visited once.
    pub(super) fn crash(&self, how: Survival) -> Self {
        let mut left =
            Self { next_node: self.next_node, next_change: self.next_change, ..Self::new() };
        let mut open = vec![ROOT];
        let mut seen = BTreeSet::from([ROOT]);
        while let Some(id) = open.pop() {
            let node = match self.nodes.get(&id) {
                Some(Node::File(file)) => Node::File(file.survivor(how)),
                Some(Node::Dir(dir)) => {
                    let entries = dir.survivors(how);
                    open.extend(entries.values().filter(|node| seen.insert(**node)));
                    Node::Dir(DirNode::durable(entries))
                }
                None => continue,
            };
            left.nodes.insert(id, node);
        }
        left
    }
}

fn stopped() -> io::Error {
    io::Error::other("the process has stopped (injected)")
}
