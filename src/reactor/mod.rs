//! The loop: events to the engine, effects to the world. No policy here.
//!
//! Inputs are taken as they come; what has arrived together is applied together, and then one
//! scheduling pass is made. Stored things are stored in order and durably before the intent that
//! depends on them is carried out; answers to submissions wait for nothing.

mod inputs;
mod ledger;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::oneshot;

pub use self::inputs::{Input, Inputs};
pub use self::ledger::{Committed, Entry, Ledger};
