//! Time limits of partitions, for jobs that have none of their own.

use std::time::Duration;

use fedsched_protocol::slurm::Partition;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::debug;

use crate::members::slurm::{Client, Listing};
use crate::model::PartitionName;

/// How long a listing of the partitions is believed.
const BELIEVED: Duration = Duration::from_secs(60);

/// `DefaultTime` of each partition, asked rarely.
#[derive(Debug)]
pub(super) struct Defaults {
    client: Client,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    partitions: Vec<Partition>,
    asked: Option<Instant>,
}

impl Defaults {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            known: Mutex::default(),
        }
    }

    /// Minutes that a job gets in `partition` which asks for none; `None` if the partition has no
    /// default, or slurmctld does not say.
    pub(super) async fn time_min(&self, partition: &PartitionName) -> Option<u32> {
        let mut known = self.known.lock().await;
        if known.asked.is_none_or(|asked| asked.elapsed() > BELIEVED) {
            match self.client.partitions(None).await {
                Ok(Listing::Full { records, .. }) => {
                    known.partitions = records;
                    known.asked = Some(Instant::now());
                }
                Ok(Listing::Unchanged) => {}
                Err(error) => debug!(%error, "the partitions' default times cannot be had"),
            }
        }
        let mut partitions = known.partitions.iter();
        partitions
            .find(|known| known.name == partition.as_str())?
            .time_default_min
    }
}
