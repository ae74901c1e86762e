//! From the TOML of a suite to a suite.

use super::{
    Suite,
    alternatives::alternatives,
    file::{self, SuiteFault, SuiteText, hint, kindly_id},
    matrix,
    pinned::sha256,
};
use shakedown_protocol::{
    Aslr, Meter, Resumption, Scenario, ScenarioKind, SuiteFile, TlsScenario, TlsVersion,
};
use std::{collections::BTreeMap, path::Path};
use toml::Spanned;

impl Suite {
    /// Reads the text of the file `path`.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, SuiteFault> {
        let file = file::parse(text)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if *file.name.get_ref() != stem {
            let problem =
                format!("name is `{}`, the file's name says `{stem}`", file.name.get_ref());
            return Err(SuiteFault::new(file.name.span().start, problem));
        }
        let suite = Self {
            name: stem,
            file: SuiteFile { path: None, sha256: sha256(text) },
            scenarios: scenarios(&file, text)?,
            meters: meters(&file.meters)?,
            blocks: *file.blocks.get_ref(),
            aslr: aslr(&file.aslr)?,
            tickets: *file.tickets.get_ref(),
            warm_up_ms: file.budget.get_ref().warm_up_ms,
            measure_ms: file.budget.get_ref().measure_ms,
            batch_ms: file.budget.get_ref().batch_ms,
            operations: file.budget.get_ref().operations,
            timeout_ms: file.budget.get_ref().timeout_ms,
            description: file.description,
        };
        suite.numbers(&file.blocks, &file.tickets, &file.budget)?;
        Ok(suite)
    }

    /// Numbers that each fit their type, but not their purpose.
    fn numbers(
        &self,
        blocks: &Spanned<u32>,
        tickets: &Spanned<u8>,
        budget: &Spanned<file::SuiteBudget>,
    ) -> Result<(), SuiteFault> {
        let resumes_by_ticket = |scenario: &TlsScenario| {
            let by_ticket = scenario.version == TlsVersion::Tls13 && scenario.resumes()
                || scenario.kind == ScenarioKind::Handshake(Resumption::Ticket);
            by_ticket && scenario.tickets.is_none()
        };
        let at = budget.span().start;
        let least = u64::from(self.warm_up_ms) + u64::from(self.measure_ms);
        if self.blocks == 0 {
            return Err(SuiteFault::new(blocks.span().start, "blocks must be at least 1"));
        }
        if self.tickets == 0
            && self.scenarios.iter().filter_map(Scenario::tls).any(resumes_by_ticket)
        {
            let problem = "tickets is 0, but there are scenarios that resume by ticket";
            return Err(SuiteFault::new(tickets.span().start, problem));
        }
        if self.batch_ms == 0 || self.operations == 0 || self.measure_ms < self.batch_ms {
            let problem = "a budget needs operations > 0 and 0 < batch-ms <= measure-ms: nothing is measured otherwise";
            return Err(SuiteFault::new(at, problem));
        }
        if self.timeout_ms <= least {
            let problem = format!(
                "timeout-ms is {}, but warm-up and measuring take {least} ms alone: every trial would be lost",
                self.timeout_ms
            );
            return Err(SuiteFault::new(at, problem));
        }
        Ok(())
    }
}

/// Everything that the file lists, each once.
fn scenarios(file: &SuiteText, text: &str) -> Result<Vec<Scenario>, SuiteFault> {
    let mut all = Vec::new();
    let mut seen = BTreeMap::new();
    let mut add = |scenario: Scenario, at: usize| {
        let line = 1 + text[..at].matches('\n').count();
        match seen.insert(scenario, line) {
            None => all.push(scenario),
            Some(first) => {
                let problem = format!("`{scenario}` is listed twice, first by line {first}");
                return Err(SuiteFault::new(at, problem));
            }
        }
        Ok(())
    };
    for id in &file.ids {
        let at = id.span().start;
        for id in alternatives(id.get_ref()) {
            let scenario = id.parse::<Scenario>();
            add(scenario.map_err(|error| SuiteFault::new(at, kindly_id(&error.to_string())))?, at)?;
        }
    }
    for matrix in &file.scenarios {
        for scenario in matrix::expand(matrix)? {
            add(scenario, matrix.span().start)?;
        }
    }
    if all.is_empty() {
        return Err(SuiteFault::new(0, "the suite has no scenarios: add `ids` or `[[scenarios]]`"));
    }
    Ok(all)
}

fn meters(texts: &Spanned<Vec<Spanned<String>>>) -> Result<Vec<Meter>, SuiteFault> {
    let known = Meter::ALL.map(|meter| (meter.name(), meter));
    let mut meters = Vec::new();
    for text in texts.get_ref() {
        let meter = one_of(text, "meter", &known)?;
        if meters.contains(&meter) {
            let problem = format!("meter `{}` stands there twice", text.get_ref());
            return Err(SuiteFault::new(text.span().start, problem));
        }
        meters.push(meter);
    }
    if meters.is_empty() {
        return Err(SuiteFault::new(texts.span().start, "a suite needs at least one meter"));
    }
    Ok(meters)
}

fn aslr(text: &Spanned<String>) -> Result<Aslr, SuiteFault> {
    one_of(text, "value of aslr", &[("on", Aslr::On), ("off", Aslr::Off)])
}

fn one_of<T: Copy>(
    text: &Spanned<String>,
    what: &str,
    known: &[(&str, T)],
) -> Result<T, SuiteFault> {
    let found = known.iter().find(|(name, _)| name == text.get_ref());
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near = hint(text.get_ref(), names.iter().copied());
        let problem =
            format!("unknown {what} `{}`: one of {}{near}", text.get_ref(), names.join(", "));
        SuiteFault::new(text.span().start, problem)
    })
}
