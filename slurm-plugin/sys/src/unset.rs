//! Slurm's marks for a number that nobody set.

use crate::bindings::{INFINITE, NO_VAL, NO_VAL16, NO_VAL64};

pub(crate) fn given16(value: u16) -> Option<u16> {
    (value != NO_VAL16).then_some(value)
}

pub(crate) fn given32(value: u32) -> Option<u32> {
    (value != NO_VAL).then_some(value)
}

pub(crate) fn given64(value: u64) -> Option<u64> {
    (value != NO_VAL64).then_some(value)
}

/// `None` for "unlimited", too.
pub(crate) fn limited32(value: u32) -> Option<u32> {
    given32(value).filter(|&value| value != INFINITE)
}
