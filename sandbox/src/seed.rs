//! The database a sandbox begins with, made once for each set of Slurm and database packages.
//!
//! Making the tables and recording accounts takes seconds; a sandbox lays its own writes over the
//! finished directory instead.

use std::{path::PathBuf, process::Command};

use crate::{
    artifacts::Artifacts,
    cache,
    command::checked,
    config,
    error::Result,
    options::{JobSubmit, Options},
    root::Root,
    sandbox::Sandbox,
    service::Service,
};

/// The database directory for this root; made if there is none yet.
pub(crate) fn ensure(root: &Root) -> Result<PathBuf> {
    let stages = config::initialise();
    let recipe = [root.fingerprint(), config::RECIPE, &stages.concat()].concat();
    cache::entry("databases", root.slurm_version(), &recipe, |directory| {
        eprintln!(
            "sandbox: making the accounting database for Slurm {}",
            root.slurm_version()
        );
        let options = Options {
            daemon: false,
            job_submit: JobSubmit::None,
            ..Options::default()
        };
        let plan = config::plan(root, &options, &Artifacts::default(), None)?;
        let sandbox = Sandbox::boot(&Sandbox::new_name("seed"), &plan)?;

        let run = |script: &str| checked(&mut sandbox.command("root", ["sh", "-c", script]));
        let [install, grant, accounting] = &stages;
        run(install)?;
        sandbox.service(Service::Munged).start()?;
        sandbox.service(Service::Mariadbd).start()?;
        run(grant)?;
        sandbox.service(Service::Slurmdbd).start()?;
        run(accounting)?;
        sandbox.service(Service::Slurmdbd).stop()?;
        sandbox.service(Service::Mariadbd).stop()?;

        let made = sandbox.path(config::DATABASE_DIRECTORY);
        checked(
            Command::new("cp")
                .arg("-a")
                .arg(made.join("."))
                .arg(directory),
        )
        .map(drop)
    })
}
