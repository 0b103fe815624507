//! The pod list of Alibaba's `cluster-trace-gpu-v2023`: one pod a line, seconds from the trace's
//! start. A processor is a CPU here, a pod's thousandths rounded up. Pods ask for no time, so a
//! scheduler is given their true one.

use std::io::Read;

use super::ReadError;
use super::columns::Columns;
use super::record::{Record, Rows};
use crate::simulator::clock::Seconds;

/// Reads every pod.
pub(super) fn read(text: impl Read) -> Result<Rows, ReadError> {
    let mut lines = csv::Reader::from_reader(text);
    let columns = Columns::new(lines.headers()?);
    let names = [
        "cpu_milli",
        "creation_time",
        "deletion_time",
        "scheduled_time",
    ];
    let found = names.map(|name| columns.first_of(&[name]));
    let [Some(cpu), Some(created), Some(deleted), Some(scheduled)] = found else {
        let missing = names.iter().zip(found).filter(|(_, at)| at.is_none());
        let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
        return Err(ReadError::Columns {
            missing: missing.join(", "),
            remedy: "the trace's own pod list has them".to_owned(),
        });
    };

    let mut rows = Rows::default();
    let mut record = csv::StringRecord::new();
    while lines.read_record(&mut record)? {
        let row = columns.row(&record);
        let seconds = |text: &str| text.parse::<Seconds>().ok();
        let created = row.parse(created, seconds, "seconds")?;
        let deleted = row.parse_known(deleted, seconds, "seconds")?;
        let scheduled = row.parse_known(scheduled, seconds, "seconds")?;
        let milli: u64 = row.parse(cpu, |text| text.parse().ok(), "thousandths of a CPU")?;
        rows.records.push(Record {
            submit: created,
            // Pods that were never scheduled held nothing.
            run: scheduled.zip(deleted).map(|(start, end)| end - start),
            requested: None,
            allocated: None,
            wanted: Some(milli.div_ceil(1000)),
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod test {
    use super::*;

    const HEADER: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n";

    #[test]
    fn a_pod_runs_from_being_scheduled_to_being_deleted() {
        let text = format!(
            "{HEADER}p-0,6100,12288,1,460,,LS,Running,400,900,420\n\
             p-1,1000,1,1,1000,V100M16|V100M32,BE,Pending,500,600,\n"
        );
        let rows = read(text.as_bytes()).unwrap();
        let ran = Record {
            submit: 400,
            run: Some(480),
            requested: None,
            allocated: None,
            wanted: Some(7),
        };
        let never = Record {
            submit: 500,
            run: None,
            wanted: Some(1),
            ..ran
        };
        assert_eq!(rows.records, [ran, never]);
    }

    #[test]
    fn absent_columns_are_named() {
        let error = read("name,cpu_milli\n".as_bytes()).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"columns are missing: creation_time, deletion_time, scheduled_time; the trace's own pod list has them");
    }
}
