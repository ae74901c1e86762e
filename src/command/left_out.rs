//! Subcommands that need a Cargo feature which this build was made without. They are listed by
//! `--help` like the others, take any arguments, and say how to get them.

/// A module in place of the subcommands of one feature.
macro_rules! refuse {
    ($feature:ident) => {
        pub mod $feature {
            use crate::exit::{CommandError, Exit};
            use anyhow::Result;
            use std::ffi::OsString;

            /// Whatever the subcommand was given.
            #[derive(Debug, clap::Args)]
            #[command(disable_help_flag = true)]
            pub struct Args {
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
                _given: Vec<OsString>,
            }

            pub fn run(_: Args) -> Result<Exit> {
                Err(CommandError::left_out(stringify!($feature)).into())
            }
        }
    };
}

#[cfg(not(feature = "github"))]
refuse!(github);
#[cfg(not(feature = "history"))]
refuse!(history);
#[cfg(not(feature = "schema"))]
refuse!(schema);
