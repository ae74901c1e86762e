//! The search against brute force, over random histories.

mod examples;
mod properties;
mod world;
