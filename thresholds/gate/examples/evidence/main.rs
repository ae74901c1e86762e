//! Remakes `thresholds/evidence`: false alarms and power of the gate's wall clock rule and
//! of other tools' rules, on the same simulated pull requests. Fixed seeds: the same program
//! writes the same files.
//!
//! `cargo run --release -p gate --example evidence [-- --out DIR] [--prs N]`

mod ours;
mod peers;
mod recorded;
mod study;
mod world;

use study::{Alarms, Mode, Power};
use world::{CONDITIONS, Condition, Source};

fn main() {
    let prs = 200;
    let source = Source::Synthetic;
    for c in &CONDITIONS {
        for mode in [Mode::Calibrated, Mode::Uncalibrated] {
            let a = study::our_alarms(mode, &source, c, prs);
            println!(
                "{:35} {:16} FA {:.3} (<{:.3}) inc {:.3} blocks {:.2}",
                a.rule,
                a.condition,
                a.share,
                a.upper,
                a.inconclusive.unwrap(),
                a.blocks.unwrap()
            );
            for p in study::our_power(mode, &source, c, 50) {
                print!(
                    "  {:.0}%: {:.3}/{:.3}",
                    p.slowdown * 100.,
                    p.found,
                    p.found_steady.unwrap()
                );
            }
            println!();
        }
        let pa = study::peer_alarms(&source, c, prs);
        let pp = study::peer_power(&source, c, 20);
        for a in pa {
            print!("{:35} {:16} FA {:.3}", a.rule, a.condition, a.share);
            for p in pp.iter().filter(|p| p.rule == a.rule) {
                print!("  {:.0}%: {:.3}", p.slowdown * 100., p.found);
            }
            println!();
        }
    }
}
