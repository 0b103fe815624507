//! What happens to jobs, a few lines each.

use super::build::{cpus, job, nodes};
use super::world::World;

fn two_members() -> World {
    World::new()
        .member("cpu", nodes("c", 4, &cpus(8)))
        .member("big", nodes("b", 2, &cpus(32)))
}

#[test]
fn a_job_that_fits_is_bound_and_runs() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(4)).settle();
    assert_eq!(world.place(1), "cpu");
    assert_eq!(world.slurm.starts.len(), 1);
    assert!(world.stored.is_empty(), "every intent is settled");
}

#[test]
fn a_job_goes_where_it_fits_at_all() {
    let mut world = two_members().begin();
    world.submit(job(1).cpus(16)).settle();
    assert_eq!(world.place(1), "big");
}
