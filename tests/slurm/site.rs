//! A real cluster, and the daemon's hands and eyes in it.

use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use fedsched::bind::Binder;
use fedsched::events::slurm::Feed;
use fedsched::members::slurm::{Client, Endpoint, Options, TokenSource};
use fedsched::model::{
    Action, BindError, Declaration, Event, Intent, IntentId, JobKey, Limits, MemberKind, Original,
    Settings, Timestamp,
};
use fedsched_protocol::{mark, slurm};
use fedsched_sandbox::{Options as SandboxOptions, Sandbox, Series};
use tokio::sync::mpsc;

/// How long anything may take on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(90);

/// Slurm's key for tokens, inside.
const KEY: &str = "/var/lib/slurm/jwt_hs256.key";

/// Where the slurmrestd of the tests listens, inside.
const SOCKET: &str = "/run/fedsched/tokens.sock";

/// The cluster.
pub(crate) struct Site {
    pub(crate) sandbox: Sandbox,
    pub(crate) client: Client,
    /// A slurmrestd that takes tokens: the sandbox's own answers on its socket to its own user only,
    /// and its port cannot be reached from here.
    restd: Child,
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have ended with the sandbox.
        drop(self.restd.kill());
        drop(self.restd.wait());
    }
}

impl Site {
    pub(crate) fn start(slurm: Series) -> Self {
        let sandbox = Sandbox::start(&SandboxOptions {
            slurm,
            daemon: false,
            ..SandboxOptions::default()
        })
        .unwrap();
        let restd = start_restd(&sandbox, slurm);
        let token = TokenSource::Key {
            path: sandbox.path(KEY),
            user: "fedsched".to_owned(),
            lifespan: Duration::from_secs(600),
        };
        let client = Client::new(Options {
            scontrol: argv(&sandbox, &["scontrol"]),
            ..Options::new(Endpoint::Unix(sandbox.path(SOCKET)), token)
        })
        .unwrap();
        Self {
            sandbox,
            client,
            restd,
        }
    }

    /// The feed of the slurm-watch inside.
    pub(crate) fn watch(&self) -> Feed {
        Feed::Watch(argv(
            &self.sandbox,
            &["/usr/local/lib/fedsched/slurm-watch"],
        ))
    }

    /// Standard output of a command that must succeed.
    pub(crate) fn run(&self, user: &str, command: &[&str]) -> String {
        let output = self.sandbox.exec(user, command).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?} as {user}: {errors}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Submits as user1 and returns the id.
    pub(crate) fn submit(&self, options: &[&str]) -> u32 {
        let mut command = vec!["sbatch", "--parsable"];
        command.extend(options);
        command.extend(["--wrap", "sleep 600"]);
        self.run("user1", &command).parse().unwrap()
    }

    /// Records under an id.
    pub(crate) async fn records(&self, job: u32) -> Vec<slurm::Job> {
        self.client.records(JobKey::job(job)).await.unwrap()
    }

    /// Waits until the records under an id are as they should be.
    pub(crate) async fn wait_for(
        &self,
        job: u32,
        what: &str,
        good: impl Fn(&[slurm::Job]) -> bool,
    ) -> Vec<slurm::Job> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let records = self.records(job).await;
            if good(&records) {
                return records;
            }
            let late = tokio::time::Instant::now() > deadline;
            assert!(!late, "job {job} is not {what}: {records:#?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends everything, so that the next test finds an idle cluster.
    pub(crate) fn clear(&self) {
        self.run("operator", &["scancel", "--user=user1"]);
        let idle = || {
            let left = self.run("operator", &["squeue", "--noheader"]);
            if left.is_empty() { Ok(()) } else { Err(left) }
        };
        self.sandbox
            .wait_until(PATIENCE, "an empty queue", idle)
            .unwrap();
    }

    /// The intent to do `action` to a job as it is now.
    pub(crate) async fn intent(&self, job: JobKey, action: Action) -> Intent {
        let records = self.client.records(job).await.unwrap();
        let mark = mark::from_comment(&records[0].admin_comment).map(|(mark, _)| mark);
        Intent {
            id: IntentId(1),
            job,
            mark,
            tasks: None,
            action,
            decided: Timestamp(0),
            original: Original::default(),
        }
    }

    /// Carries intents out; their outcomes in the order in which they came.
    pub(crate) async fn carry_out(&self, intents: Vec<Intent>) -> Vec<Result<(), BindError>> {
        let (results, mut outcomes) = mpsc::channel(1);
        let binder = Binder::spawn(self.client.clone(), &settings(), results);
        let count = intents.len();
        for intent in intents {
            binder.act(intent);
        }
        let mut all = Vec::new();
        while all.len() < count {
            all.push(match outcomes.recv().await.unwrap() {
                Event::Done(_) => Ok(()),
                Event::Failed { error, .. } => Err(error),
                other => panic!("{other:?}"),
            });
        }
        all
    }
}

fn start_restd(sandbox: &Sandbox, slurm: Series) -> Child {
    let listen = format!("unix:{SOCKET}");
    let mut command = vec!["env", "SLURM_JWT=daemon", "SLURM_BITSTR_LEN=0"];
    command.extend(["/usr/sbin/slurmrestd", "-t", "2", "-a", "rest_auth/jwt"]);
    if slurm == Series::V22_05 {
        command.extend(["-s", "openapi/v0.0.38"]);
    }
    command.push(&listen);
    let restd = sandbox
        .command("fedsched", &command)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let socket = sandbox.path(SOCKET);
    let listens = || match UnixStream::connect(&socket) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    sandbox
        .wait_until(PATIENCE, "slurmrestd to listen", listens)
        .unwrap();
    restd
}

/// The bind of a job to a partition.
pub(crate) fn bind(to: &str) -> Action {
    Action::Bind {
        member: to.into(),
        partition: to.into(),
    }
}

/// The way back from a partition.
pub(crate) fn bring_back(from: &str) -> Action {
    Action::Return {
        room: "federation".into(),
        from: from.into(),
    }
}

/// A command inside the sandbox as the daemon's user would run it, as words.
fn argv(sandbox: &Sandbox, command: &[&str]) -> Vec<String> {
    let command = sandbox.command("fedsched", command);
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_str().unwrap().to_owned())
        .collect()
}

fn settings() -> Settings {
    let member = |name: &str| Declaration {
        name: name.into(),
        kind: MemberKind::SlurmPartition,
        partition: name.into(),
        labels: BTreeMap::new(),
        home_accounts: Vec::new(),
        home_groups: Vec::new(),
        paths: None,
        drained: false,
    };
    Settings {
        queue_partition: "federation".into(),
        rehearsal: false,
        members: ["big", "cpu", "gpu"].map(member).to_vec(),
        policies: BTreeMap::new(),
        default_policy: "default".into(),
        limits: Limits {
            backoff_first: Duration::from_secs(1),
            backoff_max: Duration::from_secs(1),
            remember: Duration::from_secs(1),
            assume_max: Duration::from_secs(1),
            pass_jobs_max: 1,
            vanish_percent_max: 50,
            vanish_jobs_min: 10,
        },
    }
}
