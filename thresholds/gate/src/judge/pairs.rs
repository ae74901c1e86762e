//! Trials as pairs, pairs as blocks.
//!
//! Within a block of the record the i-th trial of base pairs with the i-th of head, in order
//! of execution: with the order base, head, head, base each pair is two neighbours in time. A
//! unit of the judgement is one block of freshly linked builds. Records whose blocks hold a
//! single pair (an ordinary run) are judged too: neighbouring blocks of the same links are
//! joined until they have as many pairs as the policy asks for.

use serde::Serialize;
use shakedown_protocol::{Better, Flaw, RunRecord};
use shakedown_summary::series::{Key, Point};
use std::collections::{BTreeMap, BTreeSet};

/// A block with fewer pairs than this says too little of itself.
const FEWEST: usize = 4;

/// Two neighbouring trials, one a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// Block in the record.
    pub block: u32,
    /// Value of base.
    pub base: f64,
    /// Value of head.
    pub head: f64,
    /// Log ratio; above zero: head is worse.
    pub log: f64,
    /// What the host did to either.
    pub flaws: Vec<Flaw>,
}

/// One block of one pair of links.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unit {
    /// Links of base and head.
    pub links: (u32, u32),
    /// Its pairs that count, in order of execution.
    pub pairs: Vec<Pair>,
    /// Pairs that the host disturbed, set aside because enough others are clean.
    pub aside: Vec<Pair>,
    /// Whether too few pairs are clean for the block to count.
    pub disturbed: bool,
}

/// The blocks of one scenario, side and metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Units {
    /// Complete blocks, in order.
    pub units: Vec<Unit>,
    /// Pairs of a block that is not complete.
    pub waiting: usize,
    /// Trials without a partner in their block.
    pub unpaired: usize,
}

impl Units {
    /// Log ratios of the blocks that count.
    pub fn logs(&self) -> Vec<Vec<f64>> {
        let clean = self.units.iter().filter(|unit| !unit.disturbed);
        clean.map(|unit| unit.pairs.iter().map(|pair| pair.log).collect()).collect()
    }

    /// How many different pairs of links the blocks that count ran.
    pub fn layouts(&self) -> usize {
        let clean = self.units.iter().filter(|unit| !unit.disturbed);
        clean.map(|unit| unit.links).collect::<BTreeSet<_>>().len()
    }

    /// Blocks that the host disturbed.
    pub fn disturbed(&self) -> usize {
        self.units.iter().filter(|unit| unit.disturbed).count()
    }

    /// Every pair, counted or not.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.units.iter().flat_map(|unit| unit.pairs.iter().chain(&unit.aside))
    }
}

/// Pairs of the same links, of one block or of neighbouring ones.
struct Chunk {
    links: (u32, u32),
    last_block: u32,
    pairs: Vec<Pair>,
}

/// Sorts the trials of one key into units of at least `wanted` pairs.
pub fn units(record: &RunRecord, key: &Key, base: &[Point], head: &[Point], wanted: u32) -> Units {
    let mut found = Units::default();
    let mut chunks: Vec<Chunk> = Vec::new();
    for (block, (base, head)) in by_block(base, head) {
        found.unpaired += base.len().abs_diff(head.len());
        for (b, h) in base.into_iter().zip(head) {
            let links = (b.link, h.link);
            let joins = |open: &Chunk| {
                let same = open.links == links;
                same && (open.last_block == block || open.pairs.len() < wanted as usize)
            };
            if !chunks.last().is_some_and(joins) {
                chunks.push(Chunk { links, last_block: block, pairs: Vec::new() });
            }
            if let Some(open) = chunks.last_mut() {
                open.last_block = block;
                open.pairs.push(pair(key, block, b, h));
            }
        }
    }
    let newest = record.trials.iter().filter(|trial| trial.scenario == key.scenario);
    let newest = newest.map(|trial| trial.block).max();
    let count = chunks.len();
    for (index, chunk) in chunks.into_iter().enumerate() {
        // While the run lasts, the last block may still grow.
        let over = index + 1 < count
            || record.finish.is_some()
            || newest > Some(chunk.last_block)
            || chunk.pairs.len() >= wanted as usize;
        if over && chunk.pairs.len() >= FEWEST {
            found.units.push(unit(chunk));
        } else {
            found.waiting += chunk.pairs.len();
        }
    }
    found
}

/// The trials of both sides in each block, in order of execution.
fn by_block<'p>(
    base: &'p [Point],
    head: &'p [Point],
) -> BTreeMap<u32, (Vec<&'p Point>, Vec<&'p Point>)> {
    let mut blocks: BTreeMap<u32, (Vec<&Point>, Vec<&Point>)> = BTreeMap::new();
    for point in base {
        blocks.entry(point.block).or_default().0.push(point);
    }
    for point in head {
        blocks.entry(point.block).or_default().1.push(point);
    }
    blocks
}

fn pair(key: &Key, block: u32, base: &Point, head: &Point) -> Pair {
    let worse = match key.metric.better() {
        Better::Higher => base.value / head.value,
        Better::Lower => head.value / base.value,
    };
    let log = worse.ln();
    let both = base.flaws.iter().chain(&head.flaws).copied();
    let flaws = both.collect::<BTreeSet<_>>().into_iter().collect();
    Pair { block, base: base.value, head: head.value, log, flaws }
}

/// Sets disturbed pairs aside where enough others are left. By what the host did, never by
/// the value: so that neither side gains by it.
fn unit(chunk: Chunk) -> Unit {
    let all = chunk.pairs.len();
    let (clean, flawed): (Vec<Pair>, Vec<Pair>) =
        chunk.pairs.into_iter().partition(|pair| pair.flaws.is_empty());
    let enough = clean.len() >= FEWEST.max(all.div_ceil(2));
    if enough {
        return Unit { links: chunk.links, pairs: clean, aside: flawed, disturbed: false };
    }
    let pairs = clean.into_iter().chain(flawed).collect();
    Unit { links: chunk.links, pairs, aside: Vec::new(), disturbed: true }
}
