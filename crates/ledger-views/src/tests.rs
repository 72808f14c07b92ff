//! Owns the tests that cross the modules of this crate: answers against brute force, one digest for
//! every way of building, damage, and the cost of answers.
#![allow(clippy::cast_possible_truncation, reason = "the numbers of these tests are small")]

mod building;
mod cost;
mod damage;
mod model;
mod paging;
mod world;
