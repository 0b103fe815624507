//! What goes wrong, and what everybody sees of it: sbatch works, nothing is lost, nothing runs twice,
//! and a message says what is wrong.

mod controller;
mod daemon;
mod impostor;
mod members;
mod plugin;
mod users;
