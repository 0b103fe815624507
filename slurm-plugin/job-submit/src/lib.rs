//! `job_submit/fedsched`: forwards each of the federation's jobs to the daemon and applies the answer.
//!
//! ```text
//! slurmctld ─► exports ─► plugin::submit ─┬─ claim      is it ours? (pure)
//!                (guard)                  ├─ directives what its script and comment say
//!                                         ├─ breaker    ask at all? (pure)
//!                                         ├─ client     one exchange within the deadline
//!                                         └─ the partition, and the mark in admin_comment
//! ```
//!
//! It runs under slurmctld's locks: no answer within the deadline, whatever the cause, sends the job
//! to the queue partition, where the daemon finds it. It starts no thread, keeps no thread-local
//! data, touches neither script nor environment, and prints nothing where all is well.

mod breaker;
mod claim;
mod client;
mod conf;
mod connection;
mod deadline;
mod exports;
mod marks;
mod plugin;
mod refusal;
mod state;
mod submission;
