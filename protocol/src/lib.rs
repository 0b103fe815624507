//! Messages between fedsched's parts: the job_submit plugin, `slurm-watch`, the command line and the daemon.
//!
//! Every message travels as one [`frame`]: a length, a protocol version and a postcard body, each
//! bounded. The byte layout of every message is held by golden tests; a change of layout is a new
//! [`frame::VERSION`].
//!
//! | module | between |
//! |---|---|
//! | [`submit`] | job_submit plugin ↔ daemon |
//! | [`watch`] | `slurm-watch` ↔ daemon |
//! | [`query`] | command line ↔ daemon |
//! | [`slurm`] | what Slurm says of jobs, nodes and partitions, the same for every Slurm version |
//! | [`directive`] | the `#FED` lines of a job script |
//! | [`mark`] | the identity that a job carries in its `admin_comment` |
#![forbid(unsafe_code)]

pub mod directive;
pub mod frame;
pub mod mark;
pub mod query;
pub mod slurm;
pub mod submit;
pub mod watch;

#[cfg(test)]
mod test {
    use std::fmt::Debug;

    use proptest::prelude::*;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::*;

    fn reads_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(message: &T) {
        let bytes = frame::encode(message, frame::MAX_WATCH_BYTES).unwrap();
        let mut stream = bytes.as_slice();
        let read: Option<T> = frame::read(&mut stream, frame::MAX_WATCH_BYTES).unwrap();
        assert_eq!(read.as_ref(), Some(message));
        assert!(stream.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn every_message_reads_back_as_it_was(
            submitted: submit::Request,
            answered: submit::Answer,
            polled: watch::Request,
            watched: watch::Answer,
            asked: query::Request,
            told: query::Answer,
        ) {
            reads_back(&submitted);
            reads_back(&answered);
            reads_back(&polled);
            reads_back(&watched);
            reads_back(&asked);
            reads_back(&told);
        }
    }
}
