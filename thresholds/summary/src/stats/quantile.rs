//! Quantiles of the distributions that decisions lean on.

use statrs::distribution::{Beta, ContinuousCDF, Normal, StudentsT};

/// Quantile of Student's t with `freedom` degrees of freedom (at least 1).
pub fn t_quantile(probability: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom.max(1.0)) {
        // The library's own inverse is good to about 1e-8; one Newton step on its exact
        // distribution function takes it to the last digits.
        Ok(t) => refine(&t, t.inverse_cdf(probability), probability),
        Err(_) => f64::NAN,
    }
}

fn refine(t: &StudentsT, start: f64, probability: f64) -> f64 {
    use statrs::distribution::Continuous;
    let slope = t.pdf(start);
    if !start.is_finite() || slope < 1e-12 {
        return start;
    }
    start - (t.cdf(start) - probability) / slope
}

/// Quantile of the standard normal distribution.
pub fn normal_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability)
}

/// Upper tail of Student's t: P(T > x).
pub fn t_above(x: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.max(1.0)).map_or(f64::NAN, |t| t.cdf(-x))
}

/// Upper end of the one-sided Clopper-Pearson interval for a probability of which `hits`
/// in `n` tries were seen: exact, so it may be called a bound.
pub fn clopper_pearson_upper(hits: u64, n: u64, confidence: f64) -> f64 {
    if hits >= n {
        return 1.0;
    }
    if hits == 0 {
        return 1.0 - (1.0 - confidence).powf(1.0 / n as f64);
    }
    // P(B <= hits) falls as the probability grows; bisection over an exact distribution
    // function, since the library's inverse of the beta distribution is coarse.
    let Ok(beta) = Beta::new(hits as f64 + 1.0, (n - hits) as f64) else { return 1.0 };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if beta.cdf(middle) < confidence { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
