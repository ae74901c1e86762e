//! Sets of CPUs, as lists (`0-3,8`) and as masks (`f,00000100`).

use std::{collections::BTreeSet, fmt, str::FromStr};

/// No machine has more; a number beyond it comes from a damaged file.
const MOST: u32 = 1 << 16;

/// A set of CPUs. Prints as the kernel writes lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuSet(BTreeSet<u32>);

/// A text that is no list of CPUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no list of CPUs: write one like 2-5,8")]
pub struct CpuSetError(String);

impl CpuSet {
    /// Reads what the kernel wrote; what is no number is left out.
    pub fn parse_lossy(list: &str) -> Self {
        let mut all = BTreeSet::new();
        for part in list.split(',') {
            if let Some((first, last)) = range(part) {
                all.extend(first..=last);
            }
        }
        Self(all)
    }

    /// Reads a hexadecimal mask in groups of 32 bits.
    pub fn from_mask(mask: &str) -> Option<Self> {
        let mut all = BTreeSet::new();
        for (group, digits) in mask.trim().rsplit(',').enumerate() {
            let bits = u32::from_str_radix(digits.trim(), 16).ok()?;
            let first = u32::try_from(group).ok()?.checked_mul(32).filter(|bit| *bit < MOST)?;
            all.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit));
        }
        Some(Self(all))
    }

    /// As a hexadecimal mask in groups of 32 bits.
    pub fn to_mask(&self) -> String {
        let groups = self.0.last().map_or(1, |last| last / 32 + 1);
        let group = |index: u32| {
            let bits = self.0.iter().filter(|cpu| **cpu / 32 == index);
            bits.fold(0_u32, |sum, cpu| sum | 1 << (cpu % 32))
        };
        let mut text = format!("{:x}", group(groups - 1));
        for index in (0..groups - 1).rev() {
            text.push_str(&format!(",{:08x}", group(index)));
        }
        text
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether one is in it.
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.contains(&cpu)
    }

    /// From the smallest to the largest.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Those that are not in `others`.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        Self(self.0.difference(&others.0).copied().collect())
    }

    /// Those that are in `others` too.
    #[must_use]
    pub fn and(&self, others: &Self) -> Self {
        Self(self.0.intersection(&others.0).copied().collect())
    }

    /// Whether all are in `others`.
    pub fn within(&self, others: &Self) -> bool {
        self.0.is_subset(&others.0)
    }
}

fn range(part: &str) -> Option<(u32, u32)> {
    let part = part.trim();
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last && last < MOST).then_some((first, last))
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        Self(cpus.into_iter().collect())
    }
}

impl FromStr for CpuSet {
    type Err = CpuSetError;

    fn from_str(list: &str) -> Result<Self, CpuSetError> {
        let wrong = || CpuSetError(list.to_owned());
        let ranges: Option<Vec<_>> = list.split(',').map(range).collect();
        Ok(ranges.ok_or_else(wrong)?.into_iter().flat_map(|(first, last)| first..=last).collect())
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.iter().peekable();
        let mut comma = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while rest.peek() == Some(&(last + 1)) {
                last += 1;
                rest.next();
            }
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_of_the_kernel_have_ranges_and_holes() {
        let cpus = |list: &str| CpuSet::parse_lossy(list).iter().collect::<Vec<_>>();
        assert_eq!(cpus("0-2,5, 7-8"), [0, 1, 2, 5, 7, 8]);
        assert_eq!(cpus(""), [0; 0]);
        assert_eq!(cpus("x,3,9-99999999,5-4"), [3]);
        assert_eq!(CpuSet::parse_lossy("0-3,8,10,11").to_string(), "0-3,8,10-11");
    }

    #[test]
    fn what_a_person_writes_must_be_a_list() {
        assert_eq!("2-3,8".parse::<CpuSet>().unwrap().to_string(), "2-3,8");
        for wrong in ["", "x", "3-2", "1,,2", "1-", "-1", "1;2", "0-70000"] {
            assert!(wrong.parse::<CpuSet>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn masks_are_as_the_kernel_writes_them() {
        assert_eq!(CpuSet::parse_lossy("0-3").to_mask(), "f");
        assert_eq!(CpuSet::parse_lossy("0,32-33").to_mask(), "3,00000001");
        assert_eq!(CpuSet::from_mask("00000000,0000000f").unwrap(), CpuSet::parse_lossy("0-3"));
        assert_eq!(CpuSet::from_mask("nothing"), None);
    }

    proptest! {
        #[test]
        fn lists_and_masks_come_back(cpus in prop::collection::btree_set(0_u32..300, 0..40)) {
            let cpus = CpuSet(cpus);
            prop_assert_eq!(&CpuSet::parse_lossy(&cpus.to_string()), &cpus);
            prop_assert_eq!(CpuSet::from_mask(&cpus.to_mask()), Some(cpus));
        }
    }
}
