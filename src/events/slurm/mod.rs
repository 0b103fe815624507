//! Slurm as a source: polls, compares, and tells what changed.
