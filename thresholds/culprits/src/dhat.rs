//! Output of DHAT, valgrind's heap profiler: JSON, version 2.
//! <https://valgrind.org/docs/manual/dh-manual.html>

use crate::name;
use serde::Deserialize;
use thiserror::Error;

/// Why a text is no output of DHAT's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not an output of DHAT: {0}")]
pub struct DhatError(String);

/// A function on a stack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// Its [normalized](name::normalized) name. Code that was inlined has only its last segment.
    pub function: String,
    /// Path of its source file, where the debug information has it.
    pub file: Option<String>,
}

/// What one place allocated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllocationSite {
    /// The functions on the stack, the innermost first.
    pub stack: Vec<Frame>,
    /// Allocations in the whole life of the process.
    pub allocations: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that were live when the heap was largest.
    pub at_peak: u64,
}

/// All places in which a process allocated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sites(pub Vec<AllocationSite>);

/// The parts of DHAT's output that are read.
#[derive(Deserialize)]
struct Output {
    #[serde(rename = "dhatFileVersion")]
    version: u32,
    pps: Vec<ProgramPoint>,
    ftbl: Vec<String>,
}

#[derive(Deserialize)]
struct ProgramPoint {
    tb: u64,
    tbk: u64,
    #[serde(default)]
    gb: u64,
    fs: Vec<usize>,
}

impl Sites {
    /// Reads DHAT's output.
    ///
    /// # Errors
    /// If it is no JSON of version 2, or a frame is missing.
    pub fn parse(text: &str) -> Result<Self, DhatError> {
        let output: Output =
            serde_json::from_str(text).map_err(|error| DhatError(error.to_string()))?;
        if output.version != 2 {
            return Err(DhatError(format!("its version is {}, not 2", output.version)));
        }
        let frames: Vec<Frame> = output.ftbl.iter().map(|text| frame_of(text)).collect();
        let frame = |at: &usize| {
            let missing = || DhatError(format!("there is no frame {at}"));
            frames.get(*at).cloned().ok_or_else(missing)
        };
        let site = |point: ProgramPoint| {
            Ok(AllocationSite {
                stack: point.fs.iter().map(frame).collect::<Result<_, _>>()?,
                allocations: point.tbk,
                bytes: point.tb,
                at_peak: point.gb,
            })
        };
        output.pps.into_iter().map(site).collect::<Result<_, _>>().map(Self)
    }
}

/// The frame of `0x1234: function (path:line)` or `0x1234: function (in /library)`.
fn frame_of(text: &str) -> Frame {
    let text = text.split_once(": ").map_or(text, |(_, rest)| rest);
    let (name, place) = match text.rfind(" (") {
        Some(at) => (&text[..at], text[at + 2..].trim_end_matches(')')),
        None => (text, ""),
    };
    let file = place.rsplit_once(':').map(|(file, _)| file.to_owned());
    Frame { function: name::normalized(name), file }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,
        "bkacc":true,"tu":"instrs","Mtu":"Minstr","tuth":500,"cmd":"driver","pid":7,"te":9,"tg":8,
        "pps":[{"tb":640,"tbk":20,"tl":1,"mb":32,"mbk":1,"gb":32,"gbk":1,"eb":0,"ebk":0,"rb":0,"wb":0,
        "fs":[1,2]}],
        "ftbl":["[root]","0x48407B4: malloc (vg_replace_malloc.c:381)",
        "0x1A2B: rustls::hash::sum::h0123456789abcdef (/src/hash.rs:7)"]}"#;

    #[test]
    fn sites_have_their_stacks() {
        let sites = Sites::parse(OUTPUT).unwrap();
        let [site] = &sites.0[..] else { panic!("{sites:?}") };
        let names: Vec<&str> = site.stack.iter().map(|frame| frame.function.as_str()).collect();
        assert_eq!(names, ["malloc", "rustls::hash::sum"]);
        assert_eq!(site.stack[1].file.as_deref(), Some("/src/hash.rs"));
        assert_eq!((site.allocations, site.bytes, site.at_peak), (20, 640, 32));
    }

    #[test]
    fn what_is_no_output_of_dhat_is_refused() {
        for broken in ["", "{}", "[1]", &OUTPUT.replace("[1,2]", "[1,9]")] {
            assert!(Sites::parse(broken).is_err(), "{broken}");
        }
        let newer = OUTPUT.replace("\"dhatFileVersion\":2", "\"dhatFileVersion\":3");
        assert!(Sites::parse(&newer).unwrap_err().to_string().contains("not 2"));
    }
}
