//! Callgrind's output format, version 1, as `--dump-instr=yes` writes it: two positions, the address
//! of an instruction and its line. <https://valgrind.org/docs/manual/cl-format.html>

use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// Why a text is no profile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallgrindError {
    /// A line has another form than the format says.
    #[error("line {0} is not of callgrind's format")]
    Line(usize),
    /// A header is missing, or says something that this reader does not know.
    #[error("the profile has no usable `{0}`")]
    Header(&'static str),
    /// The text ends before the totals.
    #[error("the profile is cut off")]
    CutOff,
}

/// What was collected in one function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Function {
    /// Demangled name, as callgrind writes it.
    pub name: String,
    /// The program or library that it is in.
    pub object: String,
    /// Events in its own instructions, in the order of [`CallgrindProfile::events`].
    pub own: Vec<u64>,
    /// Instructions by source file and line: code that was inlined counts for the file that it is from. Line
    /// 0 is that of code without debug information.
    pub by_line: BTreeMap<(String, u64), u64>,
}

/// All calls from one function to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Index of the caller in [`CallgrindProfile::functions`].
    pub caller: usize,
    /// Index of the callee.
    pub callee: usize,
    /// How often. Counted by the executions of the calling instructions, as callgrind's own number
    /// includes calls while nothing is collected.
    pub calls: u64,
    /// Events within these calls.
    pub inclusive: Vec<u64>,
}

/// One dump of callgrind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallgrindProfile {
    /// Names of the events; `Ir` (instructions) is the first.
    pub events: Vec<String>,
    /// Functions in which something was collected, or that call such.
    pub functions: Vec<Function>,
    /// Calls between them.
    pub calls: Vec<Call>,
    /// All events.
    pub totals: Vec<u64>,
}

impl CallgrindProfile {
    /// Reads a dump.
    ///
    /// # Errors
    /// [`CallgrindError`], with the line.
    pub fn parse(text: &str) -> Result<Self, CallgrindError> {
        let mut reader = Reader::default();
        for (number, line) in text.lines().enumerate() {
            reader.line(line).ok_or(CallgrindError::Line(number + 1))?;
        }
        reader.end()
    }
}

/// A kind of names that the format compresses: `(id) name` the first time, then `(id)`.
#[derive(Debug, Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn of(&mut self, text: &str) -> Option<String> {
        let Some((id, name)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
            return Some(text.to_owned());
        };
        match name.trim_start() {
            "" => self.0.get(id).cloned(),
            name => {
                self.0.insert(id.to_owned(), name.to_owned());
                Some(name.to_owned())
            }
        }
    }
}

/// A call whose cost line has not come yet.
#[derive(Debug)]
struct PendingCall {
    callee: usize,
    noted: u64,
}

/// A call as it stands in the dump.
#[derive(Debug)]
struct CallSite {
    caller: usize,
    callee: usize,
    address: u64,
    noted: u64,
    inclusive: Vec<u64>,
}

#[derive(Debug, Default)]
struct Reader {
    profile: CallgrindProfile,
    positions: bool,
    ended: bool,
    objects: Names,
    files: Names,
    names: Names,
    index: HashMap<(String, String), usize>,
    object: String,
    file: String,
    /// The function whose costs these are. Within inlined code, `file` is not its own.
    function: Option<usize>,
    callee_object: Option<String>,
    pending: Option<PendingCall>,
    callee: Option<usize>,
    address: u64,
    line: u64,
    executions: HashMap<(usize, u64), u64>,
    sites: Vec<CallSite>,
}

impl Reader {
    /// Takes one line; `None` if it has no form that is known.
    fn line(&mut self, line: &str) -> Option<()> {
        let first = line.bytes().next();
        match first {
            None | Some(b'#') => Some(()),
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => self.cost(line),
            _ => match line.split_once(['=', ':'])? {
                ("events", names) => {
                    self.profile.events = names.split_whitespace().map(str::to_owned).collect();
                    Some(())
                }
                ("positions", kinds) => {
                    self.positions = kinds.trim() == "instr line";
                    Some(())
                }
                ("totals", numbers) => {
                    self.profile.totals = self.events(numbers.split_whitespace())?;
                    self.ended = true;
                    Some(())
                }
                ("calls", rest) => {
                    let callee = self.callee.take()?;
                    let noted = rest.split(' ').next()?.parse().ok()?;
                    self.pending = Some(PendingCall { callee, noted });
                    Some(())
                }
                (key, value) => self.name(key, value),
            },
        }
    }

    fn name(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "ob" => self.object = self.objects.of(value)?,
            "fl" | "fi" | "fe" => self.file = self.files.of(value)?,
            "fn" => {
                let name = self.names.of(value)?;
                self.function = Some(self.function_index(self.object.clone(), name));
            }
            "cob" => self.callee_object = Some(self.objects.of(value)?),
            "cfi" | "cfl" => drop(self.files.of(value)?),
            "cfn" => {
                let name = self.names.of(value)?;
                let object = self.callee_object.take().unwrap_or_else(|| self.object.clone());
                self.callee = Some(self.function_index(object, name));
            }
            // Headers that say nothing about costs.
            _ => {}
        }
        Some(())
    }

    fn function_index(&mut self, object: String, name: String) -> usize {
        let events = self.profile.events.len();
        let functions = &mut self.profile.functions;
        *self.index.entry((object, name)).or_insert_with_key(|(object, name)| {
            functions.push(Function {
                name: name.clone(),
                object: object.clone(),
                own: vec![0; events],
                by_line: BTreeMap::new(),
            });
            functions.len() - 1
        })
    }

    /// `address line count...`, each position absolute or relative to the one before.
    fn cost(&mut self, text: &str) -> Option<()> {
        let mut words = text.split(' ');
        self.address = position(words.next()?, self.address)?;
        self.line = position(words.next()?, self.line)?;
        let counts = self.events(words)?;
        let function = self.function?;
        if let Some(call) = self.pending.take() {
            self.sites.push(CallSite {
                caller: function,
                callee: call.callee,
                address: self.address,
                noted: call.noted,
                inclusive: counts,
            });
            return Some(());
        }
        *self.executions.entry((function, self.address)).or_default() += counts[0];
        let function = &mut self.profile.functions[function];
        *function.by_line.entry((self.file.clone(), self.line)).or_default() += counts[0];
        add(&mut function.own, &counts);
        Some(())
    }

    /// As many numbers as there are events; the format leaves zeros at the end out.
    fn events<'a>(&self, words: impl Iterator<Item = &'a str>) -> Option<Vec<u64>> {
        let mut counts: Vec<u64> =
            words.filter(|w| !w.is_empty()).map(|w| w.parse().ok()).collect::<Option<_>>()?;
        if counts.len() > self.profile.events.len() || self.profile.events.is_empty() {
            return None;
        }
        counts.resize(self.profile.events.len(), 0);
        Some(counts)
    }

    fn end(mut self) -> Result<CallgrindProfile, CallgrindError> {
        if self.profile.events.first().is_none_or(|name| name != "Ir") {
            return Err(CallgrindError::Header("events"));
        }
        if !self.positions {
            return Err(CallgrindError::Header("positions"));
        }
        if !self.ended {
            return Err(CallgrindError::CutOff);
        }
        self.profile.calls = self.calls();
        Ok(self.profile)
    }

    /// The calls, with the number of executions of the instructions that make them. Where one
    /// instruction calls several functions, they share its executions as they share callgrind's count.
    fn calls(&mut self) -> Vec<Call> {
        let mut noted: HashMap<(usize, u64), u64> = HashMap::new();
        for site in &self.sites {
            *noted.entry((site.caller, site.address)).or_default() += site.noted;
        }
        let mut calls: BTreeMap<(usize, usize), (f64, Vec<u64>)> = BTreeMap::new();
        for site in self.sites.drain(..) {
            let place = (site.caller, site.address);
            let executed = self.executions.get(&place).copied().unwrap_or(0) as f64;
            let share = site.noted as f64 / noted[&place].max(1) as f64;
            let empty = || (0.0, vec![0; site.inclusive.len()]);
            let (calls, inclusive) = calls.entry((site.caller, site.callee)).or_insert_with(empty);
            *calls += executed * share;
            add(inclusive, &site.inclusive);
        }
        let call = |((caller, callee), (calls, inclusive)): (_, (f64, _))| Call {
            caller,
            callee,
            calls: calls.round() as u64,
            inclusive,
        };
        calls.into_iter().map(call).collect()
    }
}

fn add(sum: &mut [u64], counts: &[u64]) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}

/// `*` is the position before, `+n` and `-n` are relative to it; hexadecimal with `0x`.
fn position(word: &str, before: u64) -> Option<u64> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match word.split_at_checked(1)? {
        ("*", "") => Some(before),
        ("+", rest) => before.checked_add(number(rest)?),
        ("-", rest) => before.checked_sub(number(rest)?),
        _ => number(word),
    }
}

#[cfg(test)]
mod tests;
