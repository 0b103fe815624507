//! The engine's state in words, for people: what protocol::query carries.
