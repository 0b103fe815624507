//! What a submission costs, in counts.

use fedsched_protocol::submit::Answer;
use nix::fcntl::OFlag;

use crate::daemon::{Act, Daemon};
use crate::host::Host;

/// A usual job.
const JOB: &[(&str, &str)] = &[
    ("name", "job.sh"),
    ("work_dir", "/home/user1"),
    (
        "script",
        "#!/bin/sh\n#SBATCH -n4\n#FED --policy=green\nhostname\n",
    ),
    ("tres_per_node", "gres/gpu:2"),
    ("num_tasks", "4"),
    ("min_cpus", "4"),
    ("time_limit", "60"),
];

/// Sending, waiting and receiving.
const SYSTEM_CALLS: u64 = 3;

/// Strings of the submission, its frame, the answer, the mark, and what slurmctld keeps of it.
const ALLOCATIONS_MAX: i64 = 24;

fn times(count: &str) -> Vec<(&str, &str)> {
    [JOB, &[("times", count)]].concat()
}

#[test]
fn a_submission_is_three_system_calls() {
    let count = |times_each: &str| {
        let host = Host::start("DeadlineMs=1000");
        let _daemon = Daemon::start(&host.socket(), |_| Act::Answer(Answer::Wait));
        host.count_system_calls("submit", &times(times_each))
    };
    let more = count("1100") - count("100");
    // Either may hold a look or two at fedsched.conf, which comes once a second.
    assert_eq!((more + 500) / 1000, SYSTEM_CALLS, "{more} for 1000 jobs");
}

#[test]
fn a_submission_allocates_little() {
    let mut host = Host::start("");
    let _daemon = Daemon::start(&host.socket(), |_| Act::Answer(Answer::Wait));
    let answer = host.submit(&times("10"));
    let allocations = answer.number("allocations");
    assert!(allocations <= ALLOCATIONS_MAX, "{allocations}");
}

#[test]
fn nothing_is_left_behind_by_many_thousand_submissions() {
    type Outcome = fn() -> Act;
    let outcomes: [(&str, Outcome); 4] = [
        ("wait", || Act::Answer(Answer::Wait)),
        ("bind", || Act::bind("cpu")),
        ("refuse", || {
            Act::Answer(Answer::Refuse {
                message: "no".into(),
            })
        }),
        ("hang up", || Act::BytesAndClose(vec![9])),
    ];
    for (what, outcome) in outcomes {
        let mut host = Host::start("BreakerFailures=1000\nBreakerCooldownMs=10");
        let _daemon = Daemon::start(&host.socket(), move |_| outcome());
        host.submit(&times("100"));
        let descriptors = host.descriptors().len();
        let live = host.run("live", &[]).number("live");
        host.submit(&times("20000"));
        assert_eq!(host.run("live", &[]).number("live"), live, "{what}");
        assert_eq!(host.descriptors().len(), descriptors, "{what}");
    }
}

#[test]
fn nothing_of_it_outlives_an_exec() {
    let mut host = Host::start("");
    let before = host.descriptors().len();
    let _daemon = Daemon::start(&host.socket(), |_| Act::Answer(Answer::Wait));
    host.submit(JOB);
    let descriptors = host.descriptors();
    let closing = descriptors
        .iter()
        .filter(|flags| **flags & OFlag::O_CLOEXEC.bits().cast_unsigned() != 0)
        .count();
    assert_eq!(descriptors.len(), before + 1);
    assert!(
        closing >= 1,
        "slurmctld executes itself again to reconfigure"
    );
}
