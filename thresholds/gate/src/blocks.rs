//! Trials as pairs, pairs as blocks.
//!
//! Within a block of the record, the i-th trial of base forms a pair with the i-th trial of head,
//! in order of execution: with the order base, head, head, base, each pair is two neighbours in
//! time. Each pair knows its links: newer comparisons run another link in every pair, older ones one in
//! each block. An ordinary run has one pair in each block, which is too few to judge. Such
//! neighbouring blocks of the same links are merged until they have as many pairs as the policy asks for.

use crate::rule::PairEffect;
use serde::Serialize;
use shakedown_protocol::{Better, Flaw, RunRecord};
use shakedown_summary::series::{Key, Observation};
use std::collections::{BTreeMap, BTreeSet};

/// A block with fewer pairs is not judged.
const MIN_PAIRS: usize = 3;

/// Two neighbouring trials, one a side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// Block in the record.
    pub block: u32,
    /// Links of base and head.
    pub links: (u32, u32),
    /// Value of base.
    pub base: f64,
    /// Value of head.
    pub head: f64,
    /// Log ratio; above zero: head is worse.
    pub log_ratio: f64,
    /// What the host did to either.
    pub flaws: Vec<Flaw>,
}

/// Pairs between two interim analyses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Block {
    /// Its pairs that count, in order of execution.
    pub pairs: Vec<Pair>,
    /// Pairs that the host disturbed, excluded because enough others are clean.
    pub excluded: Vec<Pair>,
    /// Whether too few pairs are clean for the block to count.
    pub disturbed: bool,
}

/// The blocks of one scenario, side and metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Blocks {
    /// Complete blocks, in order.
    pub complete: Vec<Block>,
    /// Pairs of a block that is not complete.
    pub incomplete_pairs: usize,
    /// Trials without a partner in their block.
    pub unpaired_trials: usize,
}

impl Blocks {
    /// The pairs of the blocks that count.
    pub fn effects(&self) -> Vec<Vec<PairEffect>> {
        let effect = |pair: &Pair| PairEffect { links: pair.links, log_ratio: pair.log_ratio };
        let clean = self.complete.iter().filter(|block| !block.disturbed);
        clean.map(|block| block.pairs.iter().map(effect).collect()).collect()
    }

    /// How many different pairs of links the blocks that count ran.
    pub fn links(&self) -> usize {
        let all = self.effects();
        all.iter().flatten().map(|pair| pair.links).collect::<BTreeSet<_>>().len()
    }

    /// Blocks that the host disturbed.
    pub fn disturbed(&self) -> usize {
        self.complete.iter().filter(|block| block.disturbed).count()
    }

    /// Every pair, counted or not.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.complete.iter().flat_map(|block| block.pairs.iter().chain(&block.excluded))
    }
}

/// A block that may still grow.
struct OpenBlock {
    last_block: u32,
    pairs: Vec<Pair>,
}

/// Sorts the trials of one key into blocks of at least `wanted` pairs.
pub fn blocks(
    record: &RunRecord,
    key: &Key,
    base: &[Observation],
    head: &[Observation],
    wanted: u32,
) -> Blocks {
    let mut found = Blocks::default();
    let mut all: Vec<OpenBlock> = Vec::new();
    for (block, (base, head)) in by_block(base, head) {
        found.unpaired_trials += base.len().abs_diff(head.len());
        for (b, h) in base.into_iter().zip(head) {
            let links = (b.link, h.link);
            let joins = |open: &OpenBlock| {
                let same = || open.pairs.iter().all(|pair| pair.links == links);
                open.last_block == block || (open.pairs.len() < wanted as usize && same())
            };
            if !all.last().is_some_and(joins) {
                all.push(OpenBlock { last_block: block, pairs: Vec::new() });
            }
            if let Some(open) = all.last_mut() {
                open.last_block = block;
                open.pairs.push(pair(key, block, b, h));
            }
        }
    }
    let newest = record.trials.iter().filter(|trial| trial.scenario == key.scenario);
    let newest = newest.map(|trial| trial.block).max();
    let count = all.len();
    for (index, open) in all.into_iter().enumerate() {
        // While the run lasts, the last block may still grow.
        let over = index + 1 < count
            || record.finish.is_some()
            || newest > Some(open.last_block)
            || open.pairs.len() >= wanted as usize;
        if over && open.pairs.len() >= MIN_PAIRS {
            found.complete.push(finish(open));
        } else {
            found.incomplete_pairs += open.pairs.len();
        }
    }
    found
}

/// The trials of both sides in each block, in order of execution.
fn by_block<'p>(
    base: &'p [Observation],
    head: &'p [Observation],
) -> BTreeMap<u32, (Vec<&'p Observation>, Vec<&'p Observation>)> {
    let mut blocks: BTreeMap<u32, (Vec<&Observation>, Vec<&Observation>)> = BTreeMap::new();
    for point in base {
        blocks.entry(point.block).or_default().0.push(point);
    }
    for point in head {
        blocks.entry(point.block).or_default().1.push(point);
    }
    blocks
}

fn pair(key: &Key, block: u32, base: &Observation, head: &Observation) -> Pair {
    let worse = match key.metric.better() {
        Better::Higher => base.value / head.value,
        Better::Lower => head.value / base.value,
    };
    let log_ratio = worse.ln();
    let both = base.flaws.iter().chain(&head.flaws).copied();
    let flaws = both.collect::<BTreeSet<_>>().into_iter().collect();
    Pair {
        block,
        links: (base.link, head.link),
        base: base.value,
        head: head.value,
        log_ratio,
        flaws,
    }
}

/// Excludes disturbed pairs where enough others are left: by what the host did, never by the value,
/// so that neither side gains by it.
fn finish(open: OpenBlock) -> Block {
    let all = open.pairs.len();
    let (clean, flawed): (Vec<Pair>, Vec<Pair>) =
        open.pairs.into_iter().partition(|pair| pair.flaws.is_empty());
    let enough = clean.len() >= MIN_PAIRS.max(all.div_ceil(2));
    if enough {
        return Block { pairs: clean, excluded: flawed, disturbed: false };
    }
    let pairs = clean.into_iter().chain(flawed).collect();
    Block { pairs, excluded: Vec::new(), disturbed: true }
}
