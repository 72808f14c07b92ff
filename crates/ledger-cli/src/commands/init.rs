//! Owns `init`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memledger::civil::Zone;
use memledger::clock::Clock;
use memledger::{Created, InitOptions, Ledger};
use serde_json::json;

use super::Done;
use crate::args::InitArgs;
use crate::context::{Context, whole};
use crate::exit::{Code, Failure};
use crate::output::human::Fields;

/// Makes a ledger.
pub(crate) fn init(ctx: &Context<'_>, args: &InitArgs) -> Done {
    let dir = target(ctx, args.dir.as_deref())?;
    let zone = ctx.tz.unwrap_or(Zone::UTC);
    let created = create(&dir, zone, args.origin.clone(), Arc::clone(&ctx.clock))?;
    let Created { ledger, id, master_location, signing_location, .. } = created;
    let signing = signing_location.map(|path| path.display().to_string());
    let origin = ledger.origin().to_owned();
    if ctx.json() {
        ctx.out.object(&json!({
            "id": id.to_string(),
            "dir": dir.display().to_string(),
            "origin": origin,
            "zone": zone.to_string(),
            "master": master_location,
            "signing_key": signing,
        }))?;
    } else {
        ctx.out.line(&format!("ledger created in {}", dir.display()))?;
        let mut fields = Fields::default();
        fields
            .put("id", id)
            .put("origin", origin)
            .put("zone", zone)
            .put("master key", master_location)
            .maybe("signing key", signing);
        ctx.out.line(&fields.show("  "))?;
        ctx.out.line(
            "Without the master key the content cannot be read, without the other nothing can be signed:\n\
             back both up, apart from the ledger.",
        )?;
    }
    super::close(ctx, ledger, Ok(Code::Ok))
}

/// Makes a ledger in a directory.
///
/// # Errors
/// When there is one already, or it cannot be made.
fn create(
    dir: &Path,
    zone: Zone,
    origin: Option<String>,
    clock: Arc<dyn Clock>,
) -> Result<Created, Failure> {
    let options = InitOptions { zone, origin, clock, signing_key: true, ..InitOptions::default() };
    Ok(Ledger::init(dir, options)?)
}

/// A directory that was typed is meant from where `-C` leads.
fn target(ctx: &Context<'_>, dir: Option<&Path>) -> Result<PathBuf, Failure> {
    match (dir, ctx.dir_is_flag()) {
        (Some(dir), true) => Ok(ctx.dir.join(dir)),
        (Some(dir), false) => whole(dir),
        (None, _) => Ok(ctx.dir.clone()),
    }
}
