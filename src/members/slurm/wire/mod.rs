//! What slurmrestd writes, in the versions that the client speaks. Nothing here leaves
//! `members::slurm`: outside there are only the records of the protocol.

mod answer;
mod job;
mod lenient;
mod node;
mod partition;
mod reservation;
mod user;

pub(super) use answer::{Answer, Fault, Greeting};
pub(super) use job::Job;
pub(super) use node::Node;
pub(super) use partition::{Partition38, Partition42};
pub(super) use reservation::Reservation;
pub(super) use user::User;
