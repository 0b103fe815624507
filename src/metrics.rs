//! Every metric of the daemon, in one place.
