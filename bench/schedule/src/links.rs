//! The links of a comparison: those of the next blocks are made when they are needed, or while times are
//! measured.

use crate::{BuiltSubject, LinkSupply, ScheduleError, cpus, preflight};
use shakedown_protocol::ComparisonBudget;

/// How much less willing to run the linker is than everything else.
const NICE: i32 = 10;

/// Where links come from, and how many a comparison runs.
#[derive(Clone, Copy)]
pub(crate) struct Links<'a> {
    /// Without one, the subjects have all links.
    pub supply: Option<&'a dyn LinkSupply>,
    pub budget: ComparisonBudget,
    pub blocks: u32,
}

impl Links<'_> {
    /// The subjects with the links that blocks up to `number` run, and some more; `None` if they have those
    /// of that block. Each call of the linker has a price of its own: unchanged code needs the first block, and
    /// what needs a fourth mostly needs all.
    pub fn up_to(
        &self,
        number: u32,
        subjects: &[BuiltSubject],
    ) -> Result<Option<Vec<BuiltSubject>>, ScheduleError> {
        let have = subjects.iter().map(|subject| subject.binaries.len()).min().unwrap_or(0);
        let Some(supply) = self.supply else { return Ok(None) };
        if have >= self.budget.links(number + 1) as usize {
            return Ok(None);
        }
        let blocks = match number {
            0 => 1,
            1 | 2 => 3,
            _ => self.blocks,
        };
        let links = self.budget.links(blocks.min(self.blocks));
        let more = supply.supply(subjects, links).map_err(ScheduleError::Links)?;
        check(subjects, &more, links)?;
        Ok(Some(more))
    }

    /// The same beside times: on this CPU, and behind all that wants it. Call it on a thread of its own.
    pub fn beside(
        &self,
        number: u32,
        subjects: &[BuiltSubject],
        cpu: u32,
    ) -> Result<Option<Vec<BuiltSubject>>, ScheduleError> {
        cpus::move_to(cpu);
        // SAFETY: no memory is passed. On Linux this is about the calling thread and what it starts.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) };
        self.up_to(number, subjects)
    }
}

/// Refuses links of anything else.
fn check(had: &[BuiltSubject], more: &[BuiltSubject], links: u32) -> Result<(), ScheduleError> {
    let other = |what: &str| Err(ScheduleError::Links(what.into()));
    if had.len() != more.len() {
        return other("there are other subjects");
    }
    for (had, more) in had.iter().zip(more) {
        let (before, now) = (&had.entry.artifact, &more.entry.artifact);
        let same = had.entry.name == more.entry.name && before.id == now.id;
        if !same || !now.links.starts_with(&before.links) {
            return other(&format!("those of {} are of another artifact", had.entry.name));
        }
        if now.links.len() < links as usize || now.links.len() != more.binaries.len() {
            return other(&format!("there are {} of {}", now.links.len(), had.entry.name));
        }
        preflight::check_binaries(more, before.links.len())?;
    }
    Ok(())
}
