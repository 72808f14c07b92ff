//! Names of the model: look-up, creation, renaming, removal. Answers with the numbers that Linux
//! gives, so that code tested here meets the same errors on a real file system.

use std::collections::{BTreeMap, BTreeSet};

use rustix::io::Errno;

use super::super::dir::{DirNode, EntryChange};
use super::super::file::{FileChange, FileNode};
use super::super::node::{Node, NodeId};
use super::{ROOT, State};
use crate::storage::{LOCK_FILE, RelPath};

impl State {
    pub(in super::super) fn find(&self, path: &RelPath) -> Result<NodeId, Errno> {
        let mut id = ROOT;
        for part in path.parts() {
            id = *self.dir(id)?.entries().get(part).ok_or(Errno::NOENT)?;
        }
        Ok(id)
    }

    pub(in super::super) fn find_file(&self, path: &RelPath) -> Result<NodeId, Errno> {
        let id = self.find(path)?;
        self.file(id).map(|_| id)
    }

    pub(in super::super) fn create_file(&mut self, path: &RelPath) -> Result<NodeId, Errno> {
        self.create(path, Node::File(FileNode::new()))
    }

    pub(in super::super) fn create_dirs(&mut self, dir: &RelPath) -> Result<(), Errno> {
        let mut path = RelPath::ROOT;
        for part in dir.parts() {
            path = path.join(part).expect("a part of a path is a path");
            match self.create(&path, Node::Dir(DirNode::new())) {
                Ok(_) => {}
                Err(Errno::EXIST) => {
                    let id = self.find(&path)?;
                    self.dir(id)?;
                }
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    pub(in super::super) fn rename(&mut self, from: &RelPath, to: &RelPath) -> Result<(), Errno> {
        let moved = self.find(from)?;
        let (from_dir, from_name) = self.place(from)?;
        let (to_dir, to_name) = self.place(to)?;
        let is_dir = self.dir(moved).is_ok();
        if is_dir && to.as_str().starts_with(&format!("{}/", from.as_str())) {
            return Err(Errno::INVAL);
        }
        if let Ok(target) = self.find(to) {
            if target == moved {
                return Ok(());
            }
            match (is_dir, self.dir(target)) {
                (true, Err(_)) => return Err(Errno::NOTDIR),
                (false, Ok(_)) => return Err(Errno::ISDIR),
                (true, Ok(dir)) if !dir.entries().is_empty() => return Err(Errno::NOTEMPTY),
                _ => {}
            }
        }
        // One number: where both halves are undecided at a crash, they stand or fall together.
        let change = self.change_id();
        self.dir_mut(to_dir)?.change(change, EntryChange::Link(to_name, moved));
        self.dir_mut(from_dir)?.change(change, EntryChange::Unlink(from_name));
        Ok(())
    }

    pub(in super::super) fn remove_file(&mut self, path: &RelPath) -> Result<(), Errno> {
        self.find_file(path)?;
        self.unlink(path)
    }

    pub(in super::super) fn remove_tree(&mut self, dir: &RelPath) -> Result<(), Errno> {
        if dir.is_root() {
            return Err(Errno::INVAL);
        }
        let id = self.find(dir)?;
        self.dir(id)?;
        // Depth first, each name a change of its own: a crash may keep any part.
        for (path, _) in self.walk(dir, id).into_iter().rev() {
            self.unlink(&path)?;
        }
        self.unlink(dir)
    }

    /// Locks the lock file, making it where it is missing; `None` if it is locked.
    pub(in super::super) fn lock_file(&mut self) -> Result<Option<NodeId>, Errno> {
        let id = match self.find_file(&LOCK_FILE) {
            Ok(id) => id,
            Err(Errno::NOENT) => {
                let id = self.create_file(&LOCK_FILE)?;
                // As long as the real text, but the same in every run.
                let data = (*b"1         \n").as_slice().into();
                let change = self.change_id();
                self.file_mut(id)?.change(change, FileChange::Write { offset: 0, data });
                id
            }
            Err(errno) => return Err(errno),
        };
        Ok(self.locked.insert(id).then_some(id))
    }

    pub(in super::super) fn snapshot(&self) -> BTreeMap<RelPath, Vec<u8>> {
        let nodes = self.walk(&RelPath::ROOT, ROOT).into_iter();
        let files = nodes
            .filter_map(|(path, id)| self.file(id).ok().map(|file| (path, file.bytes().to_vec())));
        files.collect()
    }

    /// Everything below a directory, parents first. A directory that is reached again is not
    /// entered again.
    fn walk(&self, dir: &RelPath, id: NodeId) -> Vec<(RelPath, NodeId)> {
        let mut found = Vec::new();
        let mut open = vec![(dir.clone(), id)];
        let mut seen = BTreeSet::from([id]);
        while let Some((dir, id)) = open.pop() {
            let Ok(node) = self.dir(id) else { continue };
            for (name, child) in node.entries() {
                let path = dir.join(name).expect("an entry's name is a part of a path");
                if self.dir(*child).is_ok() && seen.insert(*child) {
                    open.push((path.clone(), *child));
                }
                found.push((path, *child));
            }
        }
        found
    }

    fn create(&mut self, path: &RelPath, node: Node) -> Result<NodeId, Errno> {
        if path.is_root() {
            return Err(Errno::EXIST);
        }
        let (dir, name) = self.place(path)?;
        if self.dir(dir)?.entries().contains_key(&name) {
            return Err(Errno::EXIST);
        }
        let id = NodeId(self.next_node);
        self.next_node += 1;
        self.nodes.insert(id, node);
        let change = self.change_id();
        self.dir_mut(dir)?.change(change, EntryChange::Link(name, id));
        Ok(id)
    }

    fn unlink(&mut self, path: &RelPath) -> Result<(), Errno> {
        let (dir, name) = self.place(path)?;
        let change = self.change_id();
        self.dir_mut(dir)?.change(change, EntryChange::Unlink(name));
        Ok(())
    }

    /// The directory a name is in, and the name. The root has none.
    fn place(&self, path: &RelPath) -> Result<(NodeId, String), Errno> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::BUSY);
        };
        let dir = self.find(&parent)?;
        self.dir(dir)?;
        Ok((dir, name.to_owned()))
    }
}
