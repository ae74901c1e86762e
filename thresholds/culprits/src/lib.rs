//! Culprits: which function, or which allocation site, explains a change of a count.
//!
//! [`CallgrindProfile`] is read from callgrind's output and [`Sites`] from DHAT's. [`CallGraph`] is a profile
//! per operation, with the names of functions made comparable across builds. [`explain`] takes the
//! graphs of base and head and attributes the change of the total to the functions in which it
//! arises; [`explain_sites`] does the same for allocations, [`explain_wire`] for bytes on the wire. Nothing here reads a file or a clock.

mod attribution;
mod callgrind;
mod comparison;
mod dhat;
mod explanation;
#[cfg(test)]
mod fixture;
mod flame;
mod graph;
mod grouping;
mod lines;
mod matching;
mod name;
mod sites;
mod wire;

pub use attribution::explain;
pub use callgrind::{Call, CallgrindError, CallgrindProfile, Function};
pub use comparison::{
    AllocationExplanation, ComparisonExplanation, EXPLANATION, SideExplanation, TrafficExplanation,
    record_sha256,
};
pub use dhat::{AllocationSite, DhatError, Frame, Sites};
pub use explanation::{
    Culprit, CulpritGroup, EventChange, Explanation, SiteChange, SitesExplanation,
};
pub use flame::stacks;
pub use graph::{CallGraph, Cost, Edge, Node};
pub use grouping::group;
pub use name::{normalized, short};
pub use sites::{SitePair, explain_session_memory, explain_sites};
pub use wire::{WireChange, WireExplanation, explain_wire};
