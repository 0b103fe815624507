//! The loop: events to the engine, effects to the world.
