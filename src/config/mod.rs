//! The configuration file: TOML in, validated settings out.
