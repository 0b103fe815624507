//! The loop: events to the engine, effects to the world.

mod inputs;
mod ledger;

pub use self::inputs::{Input, Inputs};
pub use self::ledger::{Committed, Entry, Ledger};
