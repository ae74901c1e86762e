//! Names of the files of an artifact.

use crate::in_tree;

/// Its description.
pub(crate) const RECORD: &str = "artifact.json";
/// Archive of the linker's inputs, from which links are made.
pub(crate) const KIT: &str = "kit.tar";

/// File name of the measured program: the driver with the library, or the benchmark that it runs.
pub(crate) fn measured(driver: &str, number: u32) -> String {
    if driver == in_tree::DRIVER { in_tree::program(number) } else { binary(number) }
}

/// File name of a link.
pub(crate) fn binary(number: u32) -> String {
    if number == 0 { "driver".to_owned() } else { format!("driver.{number}") }
}
