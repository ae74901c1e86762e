//! The one statistic that a trial's value needs.

/// Median; `None` of nothing. NaN counts as larger than any number.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let found = [&[][..], &[3.0], &[4.0, 1.0], &[9.0, 1.0, 2.0]].map(median);
        assert_eq!(found, [None, Some(3.0), Some(2.5), Some(2.0)]);
    }
}
