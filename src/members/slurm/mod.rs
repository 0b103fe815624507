//! slurmrestd: actions on jobs, single jobs, listings.
