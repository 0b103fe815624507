//! Slurm's words for why a job waits, sorted by what they mean for the federation (22.05 to 26.05).

use crate::model::{LimitOwner, WaitReason};

/// Sorts a reason. `detail` is the free text beside it.
pub(super) fn parse(reason: &str, detail: &str) -> WaitReason {
    let word = || reason.to_owned();
    match reason {
        ""
        | "None"
        | "Priority"
        | "Resources"
        | "PartitionDown"
        | "PartitionInactive"
        | "Cleaning"
        | "Prolog"
        | "SchedDefer"
        | "JobArrayTaskLimit"
        | "BurstBufferResources"
        | "BurstBufferStageIn"
        | "FedJobLock"
        | "MaxPoweredUpNodes"
        | "PowerNotAvail"
        | "PowerReserved"
        | "MpiPortsBusy"
        | "NvidiaImexChannels"
        | "BlockMaxError"
        | "BlockFreeAction"
        | "FrontEndDown" => WaitReason::Turn(word()),
        "JobHeldUser" | "JobHeldAdmin" | "JobHoldMaxRequeue" => WaitReason::Held(word()),
        "BeginTime" => WaitReason::BeginTime,
        "Dependency" => WaitReason::Dependency,
        "DependencyNeverSatisfied" => WaitReason::DependencyNever,
        "Reservation" | "ReservationDeleted" | "ReservationInvalid" => WaitReason::Reservation,
        "Licenses" => WaitReason::Licenses,
        "PartitionNodeLimit" | "PartitionTimeLimit" | "PartitionConfig" | "AccountNotAllowed"
        | "QOSNotAllowed" | "NodeDown" | "MaxMemPerLimit" | "Constraints" | "SystemFailure" => {
            WaitReason::NotHere(word())
        }
        "ReqNodeNotAvail" => required_nodes(reason, detail),
        "BadConstraints"
        | "JobLaunchFailure"
        | "InvalidAccount"
        | "InvalidQOS"
        | "DeadLine"
        | "BurstBufferOperation" => WaitReason::Never(word()),
        _ => limit(reason).map_or_else(
            || WaitReason::Other(word()),
            |owner| WaitReason::Limit {
                owner,
                limit: word(),
            },
        ),
    }
}

/// "May be reserved for other job" passes by itself; nodes that are down or drained do not.
fn required_nodes(reason: &str, detail: &str) -> WaitReason {
    if detail.contains("reserved") || detail.contains("Reserved") {
        WaitReason::Turn(reason.to_owned())
    } else {
        WaitReason::NotHere(reason.to_owned())
    }
}

/// Whose limit a reason is, if it is one. Limits per account are limits of a QOS
/// (`WAIT_QOS_MAX_…_PER_ACCT`), though their words do not say so.
fn limit(reason: &str) -> Option<LimitOwner> {
    if reason.starts_with("Assoc") || reason == "AccountingPolicy" {
        return Some(LimitOwner::Association);
    }
    let of_qos = reason.starts_with("QOS")
        || (reason.starts_with("Max")
            && (reason.ends_with("PerAccount") || reason.ends_with("PerUser")));
    of_qos.then_some(LimitOwner::Qos)
}

#[cfg(test)]
mod test {
    use super::*;

    /// Every word of `job_reason_string()` in libslurm 22.05.8, 24.11.5 and 26.05.5.
    const WORDS: &str = include_str!("../../../tests/fixtures/slurm-reasons.txt");

    /// Words that no waiting job has: they say how a job ended.
    const OF_ENDED_JOBS: [&str; 6] = [
        "NonZeroExitCode",
        "TimeLimit",
        "InactiveLimit",
        "RaisedSignal",
        "OutOfMemory",
        "InvalidReason",
    ];

    #[test]
    fn every_word_of_three_releases_is_known() {
        let words: Vec<&str> = WORDS.lines().collect();
        assert!(words.len() > 200);
        for word in words {
            let other = matches!(parse(word, ""), WaitReason::Other(_));
            assert_eq!(other, OF_ENDED_JOBS.contains(&word), "{word}");
        }
    }

    #[test]
    fn limits_know_their_owner() {
        for (word, expected) in [
            ("AssocGrpCpuLimit", LimitOwner::Association),
            ("AssociationJobLimit", LimitOwner::Association),
            ("QOSMaxCpuPerJobLimit", LimitOwner::Qos),
            ("QOSGrpJobsLimit", LimitOwner::Qos),
            ("MaxCpuPerAccount", LimitOwner::Qos),
            ("MaxBBRunMinsPerUser", LimitOwner::Qos),
        ] {
            let WaitReason::Limit { owner, limit } = parse(word, "") else {
                panic!("{word} is a limit");
            };
            assert_eq!((owner, limit.as_str()), (expected, word));
        }
    }

    #[test]
    fn required_nodes_may_only_be_reserved() {
        let down = "ReqNodeNotAvail, UnavailableNodes:big2";
        let reserved = "ReqNodeNotAvail, May be reserved for other job";
        assert!(matches!(
            parse("ReqNodeNotAvail", down),
            WaitReason::NotHere(_)
        ));
        assert!(matches!(
            parse("ReqNodeNotAvail", reserved),
            WaitReason::Turn(_)
        ));
    }

    #[test]
    fn a_new_word_is_never_final() {
        assert_eq!(
            parse("WaitingForGodot", ""),
            WaitReason::Other("WaitingForGodot".to_owned())
        );
    }
}
