//! What fedsched says, and what it is told.

use std::fmt::{Debug, Display};

use fedsched_protocol::query::{Explanation, Member, Status, Waiting};
use fedsched_sandbox::{Service, Signal};
use serde::de::DeserializeOwned;

use super::{CONFIG, Site};

impl Site {
    /// Waits until the daemon has heard of everything there is.
    pub(crate) fn wait_ready(&self) {
        if self.options.daemon {
            self.wait("the daemon to hear of Slurm", || {
                let status: Status = self.ask("root", &["status"])?;
                status.heard_ms.map(drop).ok_or_else(|| "never".to_owned())
            });
        }
    }

    /// Waits until the daemon has heard of everything that was so when this was called.
    pub(crate) fn wait_polled(&self) {
        // The poll that is under way may be older.
        for _ in 0..2 {
            let last = self.status().heard_ms;
            self.wait_answer("root", &["status"], |status: &Status| {
                status.heard_ms > last
            });
        }
    }

    /// Waits until a member looks as wanted to the daemon.
    pub(crate) fn wait_member(&self, name: &str, wanted: impl Fn(&Member) -> bool) -> Member {
        self.wait(&format!("member {name} to be as wanted"), || {
            let members: Vec<Member> = self.ask("root", &["members"])?;
            let member = members.into_iter().find(|member| member.name == name);
            let member = member.ok_or_else(|| "no such member".to_owned())?;
            if wanted(&member) {
                Ok(member)
            } else {
                Err(format!("{member:#?}"))
            }
        })
    }

    /// Waits until nobody waits in the room.
    pub(crate) fn wait_queue_empty(&self) {
        self.wait_answer("root", &["queue"], |queue: &Vec<Waiting>| queue.is_empty());
    }

    /// Waits until there is no job and every node is free to the daemon, too.
    pub(crate) fn wait_idle(&self) {
        self.wait("no job to be left", || {
            let jobs = self.squeue(None, "%i|%T|%P|%r");
            if jobs.is_empty() {
                Ok(())
            } else {
                Err(format!("{jobs:?}"))
            }
        });
        self.wait_queue_empty();
        self.wait_answer("root", &["status"], |status: &Status| {
            let free = |member: &Member| member.nodes_free == member.nodes;
            status.bound == 0 && status.running == 0 && status.members.iter().all(free)
        });
    }

    /// Waits until a question is answered as wanted; the last answer is shown when it never is.
    pub(crate) fn wait_answer<T: DeserializeOwned + Debug>(
        &self,
        user: &str,
        words: &[&str],
        wanted: impl Fn(&T) -> bool,
    ) -> T {
        self.wait(&format!("fedsched {words:?} to answer as wanted"), || {
            let answer: T = self.ask(user, words)?;
            if wanted(&answer) {
                Ok(answer)
            } else {
                Err(format!("{answer:#?}"))
            }
        })
    }

    /// What `fedsched … --json` answers, or why not.
    pub(crate) fn ask<T: DeserializeOwned>(&self, user: &str, words: &[&str]) -> Result<T, String> {
        let ran = self.try_run(user, &[&["fedsched", "--json"], words].concat());
        if ran.code != 0 {
            return Err(ran.err);
        }
        serde_json::from_str(&ran.out).map_err(|error| format!("{error}: {}", ran.out))
    }

    /// What `fedsched status` says.
    pub(crate) fn status(&self) -> Status {
        self.ask("root", &["status"]).unwrap()
    }

    /// What `fedsched queue` says to a user.
    pub(crate) fn queue(&self, user: &str) -> Vec<Waiting> {
        self.ask(user, &["queue"]).unwrap()
    }

    /// What `fedsched explain` says to a user.
    pub(crate) fn explain(&self, user: &str, job: impl Display) -> Explanation {
        self.ask(user, &["explain", &job.to_string()]).unwrap()
    }

    /// Waits until `fedsched explain` says this in its summary.
    pub(crate) fn wait_explained(&self, job: impl Display, words: &str) -> Explanation {
        let job = job.to_string();
        let says = |told: &Explanation| told.summary.contains(words);
        self.wait_answer("root", &["explain", &job], says)
    }

    /// Puts another configuration in the daemon's file; it is not used before a reload or restart.
    pub(crate) fn configure(&self, text: &str) {
        assert!(!self.shared, "only a test's own site may be configured");
        std::fs::write(self.sandbox().path(CONFIG), text).unwrap();
    }

    /// What is in the daemon's file.
    pub(crate) fn configuration(&self) -> String {
        std::fs::read_to_string(self.sandbox().path(CONFIG)).unwrap()
    }

    /// Asks the daemon to read its file again.
    pub(crate) fn reload(&self) {
        self.sandbox()
            .service(Service::Fedsched)
            .kill(Signal::SIGHUP)
            .unwrap();
    }

    /// Everything the daemon has logged.
    pub(crate) fn daemon_log(&self) -> String {
        let path = self.sandbox().service(Service::Fedsched).log_path();
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
    }
}
