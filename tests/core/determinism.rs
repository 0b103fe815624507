//! The same events give the same effects, byte for byte.

use super::build::{cpus, job, nodes};
use super::world::World;
use std::time::Duration;

fn busy_hour() -> String {
    let mut world = World::new()
        .member("cpu", nodes("c", 4, &cpus(8)))
        .member("big", nodes("b", 2, &cpus(32)))
        .begin();
    for id in 1..60 {
        let (size, length) = (1 + id % 7, u64::from(3 + id % 11));
        world.submit(job(id).tasks(size).minutes(length).priority(900 + id % 5));
        world.pass(Duration::from_secs(20));
    }
    world.pass(Duration::from_secs(1200));
    world.log
}

#[test]
fn the_same_events_give_the_same_effects() {
    assert_eq!(busy_hour(), busy_hour());
}
