//! A look at JSON text that builds nothing: how many values, how deep, how long.

use super::IntakeLimits;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::{cell::Cell, fmt};

/// Refuses text that would become more than the limits allow.
pub(super) fn scan(text: &str, limits: &IntakeLimits) -> Result<(), String> {
    let left = Cell::new(limits.values);
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = ArchiveScan { left: &left, depth: limits.depth, string: limits.string };
    let told = |error: serde_json::Error| error.to_string();
    seed.deserialize(&mut reader).and_then(|()| reader.end()).map_err(told)
}

#[derive(Clone, Copy)]
struct ArchiveScan<'a> {
    left: &'a Cell<u64>,
    depth: u32,
    string: usize,
}

impl ArchiveScan<'_> {
    fn count<E: Error>(self) -> Result<(), E> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(E::custom("too many values")),
        }
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(E::custom("too many levels")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for ArchiveScan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.count()?;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ArchiveScan<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if text.len() > self.string { Err(E::custom("a string is too long")) } else { Ok(()) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while seq.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while map.next_key_seed(inner)?.is_some() {
            map.next_value_seed(inner)?;
        }
        Ok(())
    }
}
