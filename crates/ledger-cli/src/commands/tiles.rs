//! Owns `export tiles`: the files.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use memledger::proof::TileStore;
use serde_json::json;

use super::Done;
use crate::args::TilesArgs;
use crate::context::{Context, Opened};
use crate::exit::Code;
use crate::output::human;

/// Exports the log as tiles.
pub(crate) fn export(ctx: &Context<'_>, opened: &Opened, args: &TilesArgs) -> Done {
    let mut folder = Folder(args.dir.clone());
    let done = opened.ledger.export_tiles(&mut folder)?;
    if ctx.json() {
        ctx.out.object(&json!({
            "before": done.before,
            "size": done.size,
            "files": done.files,
        }))?;
    } else {
        let records = human::count(done.size, "record", "records");
        let files = human::count(done.files, "file", "files");
        ctx.out.line(&format!("{}: {records}, {files} written", args.dir.display()))?;
    }
    Ok(Code::Ok)
}

struct Folder(PathBuf);

impl TileStore for Folder {
    fn read(&mut self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.0.join(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Beside the old one, flushed, then in its place: a web server offers one or the other.
    fn write(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let mut fresh = path.clone().into_os_string();
        fresh.push(".new");
        let mut file = File::create(&fresh)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(&fresh, &path)
    }
}
