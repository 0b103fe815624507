//! How a sandbox comes to be.

use std::{
    process::id,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::{
    artifacts::Artifacts,
    cluster, config,
    control::{self, Request},
    error::{Error, Result},
    host,
    options::Options,
    root::Root,
    sandbox::Sandbox,
    seed,
    service::Service,
};

impl Sandbox {
    /// Starts a sandbox and waits until every service in it is ready and every node is idle.
    ///
    /// What is missing is made first: packages, the tree of another Debian release, the binaries
    /// of this workspace, the database. Only root can do it.
    pub fn start(options: &Options) -> Result<Self> {
        host::require_root()?;
        let name = options
            .name
            .clone()
            .unwrap_or_else(|| Self::new_name("test"));
        check_name(&name)?;
        if control::running().contains(&name) {
            return Err(Error::NameTaken { name });
        }
        let root = Root::for_series(options.slurm)?;
        let artifacts = Artifacts::build(options, &root)?;
        let database = seed::ensure(&root)?;
        let plan = config::plan(&root, options, &artifacts, Some(database))?;
        let sandbox = Self::boot(&name, &plan)?;
        sandbox.start_services(options.daemon)?;
        Ok(sandbox)
    }

    /// A name that no other sandbox of this machine has.
    pub(crate) fn new_name(stem: &str) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        format!("{stem}-{}-{}", id(), NUMBER.fetch_add(1, Ordering::Relaxed))
    }

    /// Starts everything, side by side where one does not need the other.
    fn start_services(&self, daemon: bool) -> Result<()> {
        let mut last = vec![Service::Slurmrestd, Service::SlurmrestdTcp];
        last.extend(cluster::node_names().into_iter().map(Service::Slurmd));
        last.extend(daemon.then_some(Service::Fedsched));
        let stages = [
            vec![Service::Munged, Service::Mariadbd],
            vec![Service::Slurmdbd],
            vec![Service::Slurmctld],
            last,
        ];
        for stage in &stages {
            for service in stage {
                self.done(&Request::Start(service.clone()))?;
            }
            self.wait_ready(stage)?;
        }
        Ok(())
    }
}

fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if (1..=40).contains(&name.len()) && name.bytes().all(allowed) {
        Ok(())
    } else {
        Err(Error::BadName {
            name: name.to_owned(),
        })
    }
}
