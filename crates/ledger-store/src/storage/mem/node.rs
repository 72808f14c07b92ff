//! Files and directories by number, as a file system keeps them apart from their names.

use super::dir::DirNode;
use super::file::FileNode;

/// The number of a file or directory; never used twice in one storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(pub(super) u64);

#[derive(Clone, Debug)]
pub(super) enum Node {
    File(FileNode),
    Dir(DirNode),
}
