//! Owns the generations: which there are, which is in force.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ViewError;
use crate::guard::files;
use crate::meta::Schemas;

const CURRENT: &str = "CURRENT";

/// One generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    dir: PathBuf,
    pub(crate) schemas: Schemas,
    generation: u64,
}

impl Place {
    /// The generation in force, if one is.
    ///
    /// # Errors
    /// [`ViewError::File`] when it cannot be told.
    pub(crate) fn current(dir: &Path) -> Result<Option<Self>, ViewError> {
        let path = dir.join(CURRENT);
        let Some(bytes) = files::read(&path)? else { return Ok(None) };
        let named = std::str::from_utf8(&bytes).ok().and_then(|text| {
            let name = text.strip_suffix('\n')?;
            Self::parse(dir, name)
        });
        let found = "it names no generation".to_owned();
        let place = named.ok_or(ViewError::File { doing: "reading", path, found })?;
        // sled follows links, and writes where they lead.
        files::all_regular(&place.path())?;
        Ok(Some(place))
    }

    /// Makes the directory of a new generation, behind all that there are, and removes what earlier
    /// builds left. The generation in force stays.
    pub(crate) fn begin(dir: &Path) -> Result<Self, ViewError> {
        Self::begin_beside(dir, None)
    }

    /// Makes the directory of a new generation beside this one, which stays too.
    pub(crate) fn beside(&self) -> Result<Self, ViewError> {
        Self::begin_beside(&self.dir, Some(self))
    }

    fn begin_beside(dir: &Path, keep: Option<&Self>) -> Result<Self, ViewError> {
        fs::create_dir_all(dir).map_err(files::failed("creating", dir))?;
        // When the name in force does not read, nothing is, and all that there is is left over.
        let current = Self::current(dir).unwrap_or(None);
        let last = Self::all(dir)?.iter().map(|place| place.generation).max();
        let generation = last.map_or(1, |last| last.saturating_add(1));
        let place = Self { dir: dir.to_owned(), schemas: Schemas::NOW, generation };
        let path = place.path();
        fs::create_dir(&path).map_err(files::failed("creating", &path))?;
        files::sync(dir)?;
        Self::sweep(dir, &[Some(&place), current.as_ref(), keep]);
        Ok(place)
    }

    /// Makes this the generation in force, durably, and removes all others.
    pub(crate) fn enforce(&self) -> Result<(), ViewError> {
        self.sync()?;
        files::replace(&self.dir.join(CURRENT), format!("{}\n", self.name()).as_bytes())?;
        Self::sweep(&self.dir, &[Some(self)]);
        Ok(())
    }

    /// Flushes every file and directory of this generation: sled's own flush is no barrier.
    pub(crate) fn sync(&self) -> Result<(), ViewError> {
        for (path, _) in files::list(&self.path())? {
            files::sync(&path)?;
            files::sync_parent(&path)?;
        }
        files::sync(&self.path())
    }

    /// Bytes of all files of this generation.
    pub(crate) fn bytes(&self) -> Result<u64, ViewError> {
        Ok(files::list(&self.rows())?.iter().map(|(_, length)| length).sum())
    }

    /// Where sled is.
    pub(crate) fn rows(&self) -> PathBuf {
        self.path().join("rows")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(self.name())
    }

    fn name(&self) -> String {
        format!("{}.{}-{:06}", self.schemas.views, self.schemas.replay, self.generation)
    }

    fn parse(dir: &Path, name: &str) -> Option<Self> {
        let (schemas, generation) = name.split_once('-')?;
        let (views, replay) = schemas.split_once('.')?;
        let schemas = Schemas { views: views.parse().ok()?, replay: replay.parse().ok()? };
        let place = Self { dir: dir.to_owned(), schemas, generation: generation.parse().ok()? };
        (place.name() == name).then_some(place)
    }

    fn all(dir: &Path) -> Result<Vec<Self>, ViewError> {
        let entries = fs::read_dir(dir).map_err(files::failed("listing", dir))?;
        let mut places = Vec::new();
        for entry in entries {
            let entry = entry.map_err(files::failed("listing", dir))?;
            places.extend(entry.file_name().to_str().and_then(|name| Self::parse(dir, name)));
        }
        Ok(places)
    }

    /// Removes all generations but these. What does not go now goes at the next rebuild.
    fn sweep(dir: &Path, keep: &[Option<&Self>]) {
        for place in Self::all(dir).unwrap_or_default() {
            if !keep.contains(&Some(&place)) {
                drop(fs::remove_dir_all(place.path()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_generations() {
        let dir = Path::new("views");
        let place = Place::parse(dir, "1.1-000003").expect("a generation");
        assert_eq!(place.generation, 3);
        for bad in ["", "1.1-3", "1-000003", "1.1-000003x", "../1.1-000003", "01.1-000003"] {
            assert_eq!(Place::parse(dir, bad), None, "{bad}");
        }
    }

    #[test]
    fn a_generation_that_was_not_enforced_is_swept_by_the_next() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = Place::begin(dir.path()).expect("begins");
        assert_eq!(Place::current(dir.path()), Ok(None));
        first.enforce().expect("enforced");
        let left = Place::begin(dir.path()).expect("begins");
        assert_eq!(Place::current(dir.path()), Ok(Some(first.clone())));
        let second = Place::begin(dir.path()).expect("begins");
        assert!(!left.path().exists(), "left over");
        assert!(first.path().exists(), "in force");
        second.enforce().expect("enforced");
        assert!(!first.path().exists(), "replaced");
        assert_eq!(Place::current(dir.path()), Ok(Some(second)));
    }

    #[test]
    fn a_link_leads_nowhere() {
        use std::os::unix::fs::symlink;

        let dir = tempfile::tempdir().expect("a directory");
        let outside = dir.path().join("outside");
        fs::write(&outside, "not ours").expect("written");
        let views = dir.path().join("views");
        let place = Place::begin(&views).expect("begins");
        symlink(&outside, views.join("CURRENT.new")).expect("linked");
        place.enforce().expect("enforced");
        assert_eq!(fs::read(&outside).expect("reads"), b"not ours");
        assert_eq!(Place::current(&views), Ok(Some(place.clone())));

        fs::create_dir(place.rows()).expect("made");
        symlink(&outside, place.rows().join("conf")).expect("linked");
        assert!(Place::current(&views).is_err(), "a link among the rows");
        fs::remove_file(place.rows().join("conf")).expect("removed");
        assert!(Place::current(&views).is_ok());
        fs::remove_file(views.join(CURRENT)).expect("removed");
        symlink(&outside, views.join(CURRENT)).expect("linked");
        assert!(Place::current(&views).is_err(), "a link for the name");
    }

    #[test]
    fn a_damaged_name_is_an_error_and_not_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join(CURRENT), "1.1-0000").expect("written");
        assert!(Place::current(dir.path()).is_err());
    }
}
