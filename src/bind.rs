//! The binding cycle: carries an intent out in slurmctld, step by step, and looks after each.
