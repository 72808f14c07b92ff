//! Owns the two files that choose for whoever types nothing: the dotfile of a project and the
//! configuration of a user.
//!
//! Paths are compared as they are on disk, component by component: a working directory that was reached
//! through a symbolic link lies where the link leads to, and `/srv/ac` is no prefix of `/srv/acme`.
//! Invariants: each file is read once in a run; a field that is not known is an error with its line.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::exit::Failure;

/// The file of a project, in the working directory or above it.
const DOTFILE: &str = ".memledger.toml";
/// Names the file of the user.
const VAR_CONFIG: &str = "MEMLEDGER_CONFIG";
/// Longest file in bytes.
const FILE_BYTES: u64 = 65_536;

/// What a file can choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields {
    pub(super) ledger: Option<String>,
    pub(super) scope: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    default: Fields,
    #[serde(default)]
    path: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    prefix: String,
    ledger: Option<String>,
    scope: Option<String>,
}

/// What was found in files.
pub(super) struct Found {
    /// Where it was looked for.
    pub(super) place: String,
    /// What stands there.
    pub(super) value: Option<String>,
    /// The directory that relative paths begin at.
    pub(super) dir: PathBuf,
}

/// The files of this run, as far as they were needed.
#[derive(Default)]
pub(super) struct Files {
    here: Option<PathBuf>,
    dotfiles: Option<Vec<(PathBuf, Fields)>>,
    config: Option<Option<(PathBuf, Config)>>,
}

type Field = fn(&Fields) -> Option<&str>;

impl Files {
    /// The nearest dotfile with the field.
    pub(super) fn dotfile(&mut self, field: Field) -> Result<Found, Failure> {
        let here = self.here()?;
        let found = self.dotfiles()?.iter().find_map(|(file, fields)| {
            let value = Some(field(fields)?.to_owned());
            let dir = file.parent().unwrap_or(file).to_path_buf();
            Some(Found { place: shown(file), value, dir })
        });
        let place = format!("{DOTFILE} upward from '{}'", here.display());
        Ok(found.unwrap_or(Found { place, value: None, dir: here }))
    }

    /// The entry of the user's configuration with the longest prefix that the working directory lies in.
    pub(super) fn prefix(&mut self, field: Field) -> Result<Found, Failure> {
        let here = self.here()?;
        let Some((file, config)) = self.config()? else { return Ok(nowhere()) };
        let within = |why: Failure| why.within(shown(file));
        let mut best: Option<(PathBuf, String)> = None;
        for entry in &config.path {
            let fields = Fields { ledger: entry.ledger.clone(), scope: entry.scope.clone() };
            if fields == Fields::default() {
                return Err(within(Failure::usage(format!(
                    "the path {:?} names neither ledger nor scope",
                    entry.prefix
                ))));
            }
            let prefix = on_disk(&from_root(&entry.prefix).map_err(within)?).map_err(within)?;
            let Some(value) = field(&fields).filter(|_| here.starts_with(&prefix)) else {
                continue;
            };
            let longer = prefix.components().count();
            match best.as_ref().map(|(known, _)| known.components().count()) {
                Some(known) if known > longer => {}
                Some(known) if known == longer => {
                    return Err(within(
                        Failure::usage(format!(
                            "two paths lead to '{}': which one counts?",
                            prefix.display()
                        ))
                        .hint("leave one of them out"),
                    ));
                }
                _ => best = Some((prefix, value.to_owned())),
            }
        }
        Ok(match best {
            Some((prefix, value)) => Found {
                place: format!("{}, path '{}'", shown(file), prefix.display()),
                value: Some(value),
                dir: parent(file),
            },
            None => Found { place: shown(file), value: None, dir: parent(file) },
        })
    }

    /// The default of the user's configuration.
    pub(super) fn usual(&mut self, field: Field) -> Result<Found, Failure> {
        let Some((file, config)) = self.config()? else { return Ok(nowhere()) };
        Ok(Found {
            place: format!("{}, default", shown(file)),
            value: field(&config.default).map(str::to_owned),
            dir: parent(file),
        })
    }

    fn here(&mut self) -> Result<PathBuf, Failure> {
        if let Some(here) = &self.here {
            return Ok(here.clone());
        }
        let here = env::current_dir().and_then(fs::canonicalize);
        let here = here.map_err(|error| {
            Failure::file(format!("the working directory cannot be told: {error}"))
                .hint("name the ledger with -C DIR and the scope with --scope PATH")
        })?;
        Ok(self.here.insert(here).clone())
    }

    /// Every dotfile on the way up, the nearest first: all of them have to be right.
    fn dotfiles(&mut self) -> Result<&[(PathBuf, Fields)], Failure> {
        if self.dotfiles.is_none() {
            let here = self.here()?;
            let mut all = Vec::new();
            for dir in here.ancestors() {
                let file = dir.join(DOTFILE);
                if let Some(text) = read(&file)? {
                    all.push((file.clone(), parse::<Fields>(&file, &text)?));
                }
            }
            self.dotfiles = Some(all);
        }
        Ok(self.dotfiles.as_deref().unwrap_or_default())
    }

    fn config(&mut self) -> Result<Option<&(PathBuf, Config)>, Failure> {
        if self.config.is_none() {
            let found = match config_file()? {
                None => None,
                Some((file, must_be)) => match read(&file)? {
                    Some(text) => {
                        let config = parse(&file, &text)?;
                        Some((file, config))
                    }
                    None if must_be => {
                        return Err(Failure::usage(format!("{} is not there", shown(&file)))
                            .within(VAR_CONFIG)
                            .hint(format!("unset {VAR_CONFIG}, or name the file")));
                    }
                    None => None,
                },
            };
            self.config = Some(found);
        }
        Ok(self.config.as_ref().and_then(Option::as_ref))
    }
}

fn nowhere() -> Found {
    let place = "no configuration file".to_owned();
    Found { place, value: None, dir: PathBuf::from("/") }
}

/// The user's configuration file, and whether it has to exist.
fn config_file() -> Result<Option<(PathBuf, bool)>, Failure> {
    if let Some(named) = env::var_os(VAR_CONFIG) {
        if named.is_empty() {
            return Err(Failure::usage("it is set and empty")
                .within(VAR_CONFIG)
                .hint(format!("unset {VAR_CONFIG}, or name a file")));
        }
        return Ok(Some((PathBuf::from(named), true)));
    }
    // An empty base directory means "not set" by the XDG specification, and a relative one is
    // passed over.
    let base = |name: &str| {
        let base = env::var_os(name).filter(|value: &OsString| !value.is_empty());
        base.map(PathBuf::from).filter(|base| base.is_absolute())
    };
    let dir = base("XDG_CONFIG_HOME").or_else(|| base("HOME").map(|home| home.join(".config")));
    Ok(dir.map(|dir| (dir.join("memledger/config.toml"), false)))
}

/// The text of a file; none where there is none.
fn read(file: &Path) -> Result<Option<String>, Failure> {
    let wrong = |why: &str| {
        Failure::usage(format!("{} cannot be read: {why}", shown(file)))
            .hint("put it right, or take it away: what it would choose is not known")
    };
    let found = match fs::metadata(file) {
        // A name below something that is no directory is no name of a file.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            // A link that leads nowhere was meant to lead somewhere.
            return match fs::symlink_metadata(file) {
                Ok(_) => Err(wrong("the link leads nowhere")),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(wrong(&error.to_string())),
        Ok(found) => found,
    };
    if !found.is_file() {
        return Err(wrong("it is no file"));
    }
    if found.len() > FILE_BYTES {
        return Err(wrong(&format!("it has {} bytes, the limit is {FILE_BYTES}", found.len())));
    }
    fs::read_to_string(file).map(Some).map_err(|error| wrong(&error.to_string()))
}

fn parse<T: for<'de> Deserialize<'de>>(file: &Path, text: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let message = error.message().trim_end().to_owned();
        let line = error.span().and_then(|span| text.get(..span.start));
        let message = match line {
            Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
            None => message,
        };
        Failure::usage(message).within(shown(file))
    })
}

/// A directory as a file names it.
///
/// # Errors
/// When it names none.
pub(super) fn path(text: &str, dir: &Path) -> Result<PathBuf, Failure> {
    if text.is_empty() {
        return Err(Failure::usage("`ledger` is empty; name a directory, or leave it out"));
    }
    if text == "~" || text.starts_with("~/") {
        return from_root(text);
    }
    Ok(dir.join(text))
}

/// A path that begins at the root or at home.
fn from_root(text: &str) -> Result<PathBuf, Failure> {
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    if let Some(rest) = rest {
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let home = home.ok_or_else(|| {
            Failure::usage(format!("{text:?} begins at home, and HOME names no directory"))
        })?;
        return Ok(home.join(rest.trim_start_matches('/')));
    }
    let path = PathBuf::from(text);
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Failure::usage(format!("{text:?} is no path from the root; begin it with / or ~/")))
}

/// Where a path leads on disk; a path that is not there stands for itself.
fn on_disk(path: &Path) -> Result<PathBuf, Failure> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.components().collect()),
        Err(error) => Err(Failure::usage(format!(
            "the path '{}' cannot be followed: {error}",
            path.display()
        ))),
    }
}

fn parent(file: &Path) -> PathBuf {
    file.parent().unwrap_or(file).to_path_buf()
}

fn shown(file: &Path) -> String {
    format!("'{}'", file.display())
}
