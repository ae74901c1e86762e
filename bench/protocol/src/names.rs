//! One macro for the closed sets of names that appear in ids, so that parsing, printing,
//! listing and "did you mean" have a single source.

/// A word that is not one of a closed set of names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{found}`: one of {}", known.join(", "))]
pub struct NameError {
    /// What kind of name was expected, for example `group`.
    pub what: &'static str,
    /// What stood there instead.
    pub found: String,
    /// Every name that is accepted, in their order of definition.
    pub known: Vec<&'static str>,
}

/// Defines an enum whose variants have stable names; gives it `ALL`, `name`, `Display`,
/// `FromStr`, serde and JSON Schema by name.
macro_rules! named {
    ($(#[$meta:meta])* $type:ident ($what:literal) { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
                 serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $type { $($(#[$vmeta])* #[serde(rename = $name)] $variant,)+ }

        impl $type {
            /// Every value, in order of definition.
            pub const ALL: &'static [$type] = &[$($type::$variant,)+];

            /// The stable name used in ids, records, reports and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)+ }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::NameError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|v| v.name() == text).ok_or_else(|| {
                    $crate::NameError {
                        what: $what,
                        found: text.to_owned(),
                        known: Self::ALL.iter().map(|v| v.name()).collect(),
                    }
                })
            }
        }
    };
}
pub(crate) use named;
