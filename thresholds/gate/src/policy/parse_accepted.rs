//! From TOML to accepted regressions.

use super::{
    accepted::{Accepted, AcceptedKind},
    globs::{Names, select},
    model::Policy,
    share::Share,
    source::{PolicyError, PolicyText},
};
use jiff::civil::Date;
use serde::Deserialize;
use toml::Spanned;

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
    kind: AcceptedKind,
    size: Option<Share>,
    reason: String,
    by: String,
    link: String,
    expires: Spanned<toml::value::Datetime>,
}

const fn regressed() -> AcceptedKind {
    AcceptedKind::Regressed
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
        let source = PolicyText { file, text };
        let raw: File = source.read()?;
        for each in raw.accepted {
            let line = source.line(&each.span());
            let one = one(&source, line, each.into_inner(), today)?;
            let twin = self.accepted.iter().find(|o| o.select == one.select && o.kind == one.kind);
            if let Some(twin) = twin {
                let text = format!("accepts the same as line {} of {}", twin.line, twin.file);
                return Err(source.error(line, text));
            }
            self.accepted.push(one);
        }
        Ok(self)
    }
}

fn one(
    source: &PolicyText<'_>,
    line: usize,
    raw: Raw,
    today: Date,
) -> Result<Accepted, PolicyError> {
    for (name, text) in [("reason", &raw.reason), ("by", &raw.by), ("link", &raw.link)] {
        if text.trim().is_empty() {
            return Err(source.error(line, format!("`{name}` is empty")));
        }
    }
    let expires_line = source.line(&raw.expires.span());
    let expires = day(raw.expires.get_ref()).ok_or_else(|| {
        let text = format!(
            "`{}` is not a date: write year-month-day, such as 2026-11-21",
            raw.expires.get_ref()
        );
        source.error(expires_line, text)
    })?;
    if expires < today {
        let text = format!(
            "expired on {expires}: fix the regression and remove this entry, or accept it anew with a later date"
        );
        return Err(source.error(expires_line, text));
    }
    let size = match (raw.kind, raw.size) {
        (AcceptedKind::Regressed, Some(Share(size))) => size,
        (AcceptedKind::Missing, None) => 0.0,
        (AcceptedKind::Regressed, None) => {
            return Err(source
                .error(line, "`size` is missing: how much worse is accepted, such as \"4 %\""));
        }
        (AcceptedKind::Missing, Some(_)) => {
            return Err(source.error(line, "contradicts itself: what is missing has no size"));
        }
    };
    Ok(Accepted {
        file: source.file.to_owned(),
        line,
        select: select(source, Some(raw.scenario), raw.side, raw.metric, raw.stack)?,
        kind: raw.kind,
        size,
        reason: raw.reason,
        by: raw.by,
        link: raw.link,
        expires,
    })
}

/// The day, if it is nothing but a day.
fn day(datetime: &toml::value::Datetime) -> Option<Date> {
    let toml::value::Datetime { date: Some(date), time: None, offset: None } = datetime else {
        return None;
    };
    let year = i16::try_from(date.year).ok()?;
    let [month, day] = [date.month, date.day].map(|n| i8::try_from(n).ok());
    Date::new(year, month?, day?).ok()
}
