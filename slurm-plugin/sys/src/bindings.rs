//! What bindgen made of `slurm/slurm.h`, with its layout checks.
#![expect(
    missing_docs,
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
