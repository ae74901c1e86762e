//! Formats and their names on the command line.

/// Reads and prints a type with a list `ALL` of its values and a `name` for each.
macro_rules! by_name {
    ($format:ident) => {
        impl std::fmt::Display for $format {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $format {
            type Err = $crate::StoreError;

            fn from_str(text: &str) -> Result<Self, $crate::StoreError> {
                Self::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
                    let names = Self::ALL.map(Self::name).join(", ");
                    $crate::StoreError::Question(format!("unknown format `{text}`: one of {names}"))
                })
            }
        }
    };
}

pub(crate) use by_name;
