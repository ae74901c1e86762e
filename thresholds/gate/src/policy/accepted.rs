//! Regressions that somebody accepted, for a while.

use super::{
    Date, Policy, PolicyError, Select, Share,
    text::{Names, Source, select},
};
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// What was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A metric that got worse by up to a size.
    Regressed,
    /// A scenario or metric that is no longer there.
    Missing,
}

/// One accepted regression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Accepted {
    /// File it stands in.
    pub file: String,
    /// Its line there.
    pub line: usize,
    /// What it is about.
    #[serde(skip)]
    pub select: Select,
    /// What was accepted.
    pub what: What,
    /// How much worse was accepted, as a share; more fails again. 0 for what is missing.
    pub size: f64,
    /// Why.
    pub reason: String,
    /// Who accepted it.
    pub by: String,
    /// Where that was decided.
    pub link: String,
    /// Last day on which it holds.
    pub expires: Date,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accepted: Vec<Spanned<Raw>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    scenario: Spanned<Names>,
    side: Option<Spanned<Names>>,
    metric: Option<Spanned<Names>>,
    stack: Option<Spanned<Names>>,
    #[serde(default = "regressed")]
    what: What,
    size: Option<Share>,
    reason: String,
    by: String,
    link: String,
    expires: Spanned<toml::value::Datetime>,
}

const fn regressed() -> What {
    What::Regressed
}

impl Policy {
    /// Adds the accepted regressions of a file. `today` decides what has expired.
    ///
    /// # Errors
    /// Unknown keys, missing facts, an entry that has expired, two entries for the same, with
    /// file and line.
    pub fn with_accepted(
        mut self,
        text: &str,
        file: &str,
        today: Date,
    ) -> Result<Self, PolicyError> {
        let source = Source { file, text };
        let raw: File = source.read()?;
        for each in raw.accepted {
            let line = source.line(&each.span());
            let one = one(&source, line, each.into_inner(), today)?;
            let twin = self.accepted.iter().find(|o| o.select == one.select && o.what == one.what);
            if let Some(twin) = twin {
                let text = format!("accepts the same as line {} of {}", twin.line, twin.file);
                return Err(source.error(line, text));
            }
            self.accepted.push(one);
        }
        Ok(self)
    }
}

fn one(source: &Source<'_>, line: usize, raw: Raw, today: Date) -> Result<Accepted, PolicyError> {
    for (name, text) in [("reason", &raw.reason), ("by", &raw.by), ("link", &raw.link)] {
        if text.trim().is_empty() {
            return Err(source.error(line, format!("`{name}` is empty")));
        }
    }
    let expires_line = source.line(&raw.expires.span());
    let expires: Date = raw
        .expires
        .into_inner()
        .to_string()
        .parse()
        .map_err(|error: String| source.error(expires_line, error))?;
    if expires < today {
        let text = format!(
            "expired on {expires}: mend the regression and remove this entry, or accept it anew with a later date"
        );
        return Err(source.error(expires_line, text));
    }
    let size = match (raw.what, raw.size) {
        (What::Regressed, Some(Share(size))) => size,
        (What::Missing, None) => 0.0,
        (What::Regressed, None) => {
            return Err(source
                .error(line, "`size` is missing: how much worse is accepted, such as \"4 %\""));
        }
        (What::Missing, Some(_)) => {
            return Err(source.error(line, "contradicts itself: what is missing has no size"));
        }
    };
    Ok(Accepted {
        file: source.file.to_owned(),
        line,
        select: select(source, Some(raw.scenario), raw.side, raw.metric, raw.stack)?,
        what: raw.what,
        size,
        reason: raw.reason,
        by: raw.by,
        link: raw.link,
        expires,
    })
}
