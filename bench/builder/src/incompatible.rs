//! Why a driver does not fit a revision of its library.

use std::fmt;

/// Why a driver does not fit a revision of its library. The revision itself may be sound:
/// its own benchmark program can still measure it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incompatibility {
    /// The driver has no variant for a part of the library's API, or more than one fits.
    Surface {
        /// Name of the surface, as in the driver's folder `probes`.
        surface: String,
        /// Variants that compile; empty if none does.
        fits: Vec<String>,
        /// The first compiler error of a probe; empty if several variants fit.
        error: String,
    },
    /// A variant of every surface fits, but the driver or the library does not compile.
    Compile {
        /// The first compiler error.
        error: String,
    },
    /// The driver compiles, but its first connections differ from the requested scenario.
    Facts {
        /// Id of the scenario.
        scenario: String,
        /// The driver's message.
        error: String,
    },
}

impl Incompatibility {
    /// The surface that no single variant fits.
    pub fn surface(&self) -> Option<&str> {
        match self {
            Self::Surface { surface, .. } => Some(surface),
            Self::Compile { .. } | Self::Facts { .. } => None,
        }
    }

    /// The first error, on one line.
    pub fn first_error(&self) -> String {
        match self {
            Self::Surface { fits, .. } if !fits.is_empty() => {
                format!("several variants fit: {}", fits.join(", "))
            }
            Self::Surface { error, .. } | Self::Compile { error } | Self::Facts { error, .. } => {
                error.lines().next().unwrap_or_default().to_owned()
            }
        }
    }
}

impl fmt::Display for Incompatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface { surface, fits, .. } if !fits.is_empty() => write!(
                f,
                "surface `{surface}` is ambiguous: the variants {} all compile",
                fits.join(", ")
            ),
            Self::Surface { surface, error, .. } => {
                write!(f, "surface `{surface}` is unknown: none of its variants compiles\n{error}")
            }
            Self::Compile { error } => write!(f, "it does not compile\n{error}"),
            Self::Facts { scenario, error } => {
                write!(f, "{scenario} did not negotiate what it should have\n{error}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BuildError;

    fn text(why: Incompatibility) -> String {
        let error = BuildError::Incompatible {
            subject: "rustls@git:main".to_owned(),
            revision: Some("6868ee84dd62b4292b760cb7ba487cb37f86a95f".to_owned()),
            why: Box::new(why),
            log: "x.log".into(),
        };
        assert!(!error.is_bad_input());
        error.to_string()
    }

    #[test]
    fn the_message_names_surface_revision_and_error() {
        let surface = |fits: &[&str]| Incompatibility::Surface {
            surface: "io".to_owned(),
            fits: fits.iter().map(|name| (*name).to_owned()).collect(),
            error: "error[E0599]: no method named `read_tls`".to_owned(),
        };
        insta::assert_snapshot!(text(surface(&[])), @r"
        the driver of rustls@git:main does not fit the source (commit 6868ee84dd62): surface `io` is unknown: none of its variants compiles
        error[E0599]: no method named `read_tls`
        The whole log is x.log
        ");
        insta::assert_snapshot!(text(surface(&["records", "buffer"])), @r"
        the driver of rustls@git:main does not fit the source (commit 6868ee84dd62): surface `io` is ambiguous: the variants records, buffer all compile
        The whole log is x.log
        ");
        assert_eq!(surface(&["a", "b"]).first_error(), "several variants fit: a, b");
        let error = "no group was negotiated".to_owned();
        let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".to_owned();
        insta::assert_snapshot!(text(Incompatibility::Facts { scenario, error }), @r"
        the driver of rustls@git:main does not fit the source (commit 6868ee84dd62): handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256 did not negotiate what it should have
        no group was negotiated
        The whole log is x.log
        ");
    }
}
