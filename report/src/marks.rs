//! Marks on numbers that have warnings. Where nearly every timed median has one, as on a host that is
//! not quiet, a sentence says so once, and the cells keep their warnings without the mark.

use crate::model::{Cell, Group};

/// Takes the marks off timed medians where most have one, and returns what is said instead.
pub(crate) fn say_once(groups: &mut [Group]) -> Option<String> {
    let cells =
        groups.iter_mut().flat_map(|group| &mut group.lines).flat_map(|line| &mut line.cells);
    let mut timed: Vec<&mut Cell> = cells.filter(|cell| cell.timed && cell.measured).collect();
    let marked = timed.iter().filter(|cell| cell.marked).count();
    if marked < 4 || marked * 4 < timed.len() * 3 {
        return None;
    }
    timed.iter_mut().for_each(|cell| cell.marked = false);
    let all = timed.len();
    let which = if marked == all { format!("All {all}") } else { format!("{marked} of {all}") };
    Some(format!(
        "{which} timed medians have warnings: the host disturbed trials, or the values scatter widely."
    ))
}

#[cfg(test)]
mod tests {
    use crate::{PageFormat, Report, Screen};
    use shakedown_protocol::{Flaw, RunRecord, fixture::comparison::comparison};

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";

    fn report(disturbed: impl Fn(usize) -> bool) -> Report {
        let mut record: RunRecord = comparison(&[(FULL, [1.0, 1.0]), (TICKET, [1.0, 1.0])]);
        for (at, trial) in record.trials.iter_mut().enumerate() {
            if disturbed(at) {
                trial.flaws = vec![Flaw::Stolen];
            }
        }
        Report::new(&record, &shakedown_summary::summarize(&record))
    }

    #[test]
    fn what_is_true_of_nearly_all_numbers_is_said_once() {
        let quiet = report(|_| false);
        assert_eq!(quiet.marks, None);
        let noisy = report(|_| true);
        let said = noisy.marks.clone().unwrap();
        assert!(said.starts_with("All 8 timed medians have warnings"), "{said}");
        for format in [PageFormat::Html, PageFormat::Markdown] {
            let page = noisy.render(format).unwrap();
            assert_eq!(page.matches('⚠').count(), 1, "{page}");
            assert!(page.contains("the host disturbed"), "each number keeps its warnings");
        }
        let screen = noisy.text(Screen::new(Some(100), false), "report.html");
        assert!(screen.contains("All 8 timed medians") && !screen.contains('*'), "{screen}");
    }
}
