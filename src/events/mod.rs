//! Sources: the outside world as events.
pub mod slurm;
