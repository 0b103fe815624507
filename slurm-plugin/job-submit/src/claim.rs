//! Whose job it is, and who may go where.

use crate::conf::Conf;
use crate::refusal::Refusal;

/// What of a job decides whose it is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    /// `--partition`, names separated by commas.
    pub(crate) partition: Option<&'a str>,
    /// `--reservation` was given.
    pub(crate) reservation: bool,
    /// Slurm moves it by rules of its own: a component of a heterogeneous job, a job of scrontab, a
    /// copy from another cluster of a Slurm federation, a job without a node's daemon.
    pub(crate) special: bool,
}

/// Is the job the federation's to place? Only where a reserved partition is named does it matter
/// whether its user is privileged, which slurmctld must then look up.
pub(crate) fn is_ours(
    conf: &Conf,
    asked: &Asked<'_>,
    is_privileged: impl FnOnce() -> bool,
) -> Result<bool, Refusal> {
    let names = || asked.partition.into_iter().flat_map(names);
    refuse_reserved(conf, names(), is_privileged)?;
    let queue = &conf.queue_partition;
    let in_queue = names().any(|name| name == queue);
    let elsewhere = names().any(|name| name != queue);
    if in_queue && elsewhere && !asked.special {
        return Err(Refusal::QueueInList {
            queue: queue.clone(),
        });
    }
    Ok(!asked.special && !asked.reservation && !elsewhere)
}

/// May a job's partition be changed to `partition`? Back to the queue always.
pub(crate) fn may_move(
    conf: &Conf,
    partition: Option<&str>,
    is_privileged: impl FnOnce() -> bool,
) -> Result<(), Refusal> {
    refuse_reserved(conf, partition.into_iter().flat_map(names), is_privileged)
}

fn refuse_reserved<'a>(
    conf: &Conf,
    mut names: impl Iterator<Item = &'a str>,
    is_privileged: impl FnOnce() -> bool,
) -> Result<(), Refusal> {
    match names.find(|name| conf.reserved_partitions.iter().any(|r| r == name)) {
        Some(name) if !is_privileged() => Err(Refusal::Reserved {
            name: name.to_owned(),
            queue: conf.queue_partition.clone(),
        }),
        _ => Ok(()),
    }
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod test {
    use super::*;

    fn conf() -> Conf {
        Conf {
            reserved_partitions: vec!["span".into(), "west".into()],
            ..Conf::default()
        }
    }

    fn ours(partition: &str) -> Result<bool, Refusal> {
        let asked = Asked {
            partition: Some(partition).filter(|name| !name.is_empty()),
            ..Asked::default()
        };
        is_ours(&conf(), &asked, || false)
    }

    fn reserved(name: &str) -> Refusal {
        Refusal::Reserved {
            name: name.into(),
            queue: "federation".into(),
        }
    }

    #[test]
    fn jobs_of_the_queue_or_of_no_partition_are_ours() {
        assert_eq!(ours(""), Ok(true));
        assert_eq!(ours("federation"), Ok(true));
        assert_eq!(ours("federation,federation"), Ok(true));
        assert_eq!(ours("cpu"), Ok(false));
        assert_eq!(ours("cpu,gpu"), Ok(false));
    }

    #[test]
    fn the_queue_stands_alone() {
        let refusal = ours("cpu,federation").unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "federation in a list of partitions has no meaning: name it alone, and the federation \
             chooses among all of them, or name the others without it"
        );
    }

    #[test]
    fn reserved_partitions_are_for_the_privileged() {
        assert_eq!(ours("west"), Err(reserved("west")));
        assert_eq!(ours("cpu, span"), Err(reserved("span")));
        let asked = Asked {
            partition: Some("west"),
            ..Asked::default()
        };
        assert_eq!(is_ours(&conf(), &asked, || true), Ok(false));
        assert_eq!(
            may_move(&conf(), Some("span"), || false),
            Err(reserved("span"))
        );
        assert_eq!(may_move(&conf(), Some("span"), || true), Ok(()));
        assert_eq!(may_move(&conf(), Some("federation"), || false), Ok(()));
        assert_eq!(may_move(&conf(), None, || false), Ok(()));
    }

    #[test]
    fn what_slurm_moves_by_its_own_rules_is_left_alone_but_not_let_in() {
        for partition in [None, Some("federation"), Some("federation,cpu")] {
            let asked = Asked {
                partition,
                special: true,
                ..Asked::default()
            };
            assert_eq!(
                is_ours(&conf(), &asked, || false),
                Ok(false),
                "{partition:?}"
            );
        }
        let asked = Asked {
            partition: Some("span"),
            special: true,
            ..Asked::default()
        };
        assert_eq!(is_ours(&conf(), &asked, || false), Err(reserved("span")));
        let asked = Asked {
            reservation: true,
            ..Asked::default()
        };
        assert_eq!(is_ours(&conf(), &asked, || false), Ok(false));
    }
}
