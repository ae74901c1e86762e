//! The words of a cross-check.

use shakedown_report::{columns, plain};
use shakedown_summary::{AgreementQuantity, FleetAgreement, HostAgreement, HostFactor};

/// A table for each class, and the hosts that are out.
pub fn text(found: &FleetAgreement) -> String {
    let [first, second] = found.subjects.each_ref().map(|name| plain(name));
    let (coverage, margin) = (found.coverage * 100.0, found.margin * 100.0);
    let mut text = format!(
        "Each host against the median of the others with its processor. An interval is of {coverage:.0} %\n\
         for all of one processor together; beyond {margin:.1} % a host is an outlier.\n\
         A is {first}, B is {second}.\n"
    );
    for class in &found.classes {
        let (cpu, hosts) = (plain(&class.cpu), class.hosts.len());
        text += &format!("\n{cpu}: {hosts} hosts, {} rates\n", class.series);
        if hosts == 1 {
            text += &format!("{} has nobody to be compared with\n", plain(&class.hosts[0].host));
            continue;
        }
        let rows: Vec<Vec<String>> = class.hosts.iter().map(row).collect();
        text += &columns(&["host", "A", "B", "B / A", ""], 5, &rows);
        if hosts == 2 && class.hosts.iter().any(HostAgreement::is_outlier) {
            text += "They differ; a third host would tell which one is the outlier.\n";
        }
    }
    text
}

fn row(host: &HostAgreement) -> Vec<String> {
    let of = |quantity| {
        let found = host.factors.iter().find(|factor| factor.quantity == quantity);
        found.map_or_else(String::new, |HostFactor { factor, low, high, .. }| {
            format!("{factor:.4} [{low:.4}, {high:.4}]")
        })
    };
    let [first, second, ratio] =
        [AgreementQuantity::First, AgreementQuantity::Second, AgreementQuantity::Ratio].map(of);
    let word = if host.is_outlier() { "OUTLIER" } else { "" };
    vec![host.host.clone(), first, second, ratio, word.to_owned()]
}
