//! What carries decisions out, in the language of each kind of member.

pub mod slurm;
