#!/usr/bin/env python3
"""Writes expected.json: SciPy's results for the functions of `shakedown_summary::stats`.

Run with SciPy 1.17.1 or later: python3 expected.py > expected.json
"""

import json
import sys

import numpy as np
import scipy
from scipy import stats
from scipy.stats import mstats


def series(seed, n, kind):
    rng = np.random.default_rng(seed)
    if kind == "normal":
        values = 100 + rng.normal(0, 2, n)
    elif kind == "spiked":
        values = 100 + rng.normal(0, 1, n) + (rng.random(n) < 0.1) * 30
    else:  # tied
        values = rng.integers(95, 105, n).astype(float)
    return [float(v) for v in values]


def order_interval(values):
    """scipy.stats.quantile_test turned into an interval: the narrowest symmetric pair of
    order statistics with at least 95 %, else the range."""
    values = sorted(values)
    n = len(values)
    best = None
    for k in range(1, n // 2 + 1):
        coverage = 1 - 2 * stats.binom.cdf(k - 1, n, 0.5)
        if k == 1 or coverage >= 0.95:
            best = (values[k - 1], values[n - k], float(coverage))
    return best


def main():
    one, two = [], []
    for seed, (n, kind) in enumerate(
        [(6, "normal"), (10, "normal"), (10, "spiked"), (11, "tied"), (30, "normal"), (31, "spiked"), (40, "tied")]
    ):
        values = series(seed, n, kind)
        # The share that is cut after rounding down to whole values, as Yuen's formula has it.
        share = int(0.2 * n) / n + 1e-13
        low, high, coverage = order_interval(values)
        x = list(range(n))
        line = stats.linregress(x, values)
        one.append(
            {
                "values": values,
                "median": float(np.median(values)),
                "low": low,
                "high": high,
                "coverage": coverage,
                "mean": float(np.mean(values)),
                "deviation": float(np.std(values, ddof=1)),
                "trimmed": float(stats.trim_mean(values, 0.2)),
                "trimmed_se": float(mstats.trimmed_stde(np.array(values), limits=(share, share))),
                "slope": float(line.slope),
                "intercept": float(line.intercept),
            }
        )
    for seed, (n, m, shift, kind) in enumerate(
        [(30, 30, 0, "normal"), (30, 30, 1.5, "normal"), (20, 25, 1, "tied"), (30, 30, 3, "spiked"), (10, 12, 0, "tied")]
    ):
        base = series(100 + seed, n, kind)
        head = [v + shift for v in series(200 + seed, m, kind)]
        two.append(
            {
                "base": base,
                "head": head,
                "welch_greater": float(stats.ttest_ind(head, base, equal_var=False, alternative="greater").pvalue),
                "mann_whitney": float(
                    stats.mannwhitneyu(head, base, alternative="two-sided", method="asymptotic").pvalue
                ),
            }
        )
    t = [
        {"p": p, "df": df, "quantile": float(stats.t.ppf(p, df)), "above": float(stats.t.sf(stats.t.ppf(p, df), df))}
        for p in [0.5, 0.9, 0.95, 0.975, 0.99, 1 - 0.01 / 64, 1 - 0.01 / 200]
        for df in [1, 2, 3, 5, 10, 29, 30, 100]
    ]
    normal = [{"p": p, "quantile": float(stats.norm.ppf(p))} for p in [0.025, 0.5, 0.9, 0.95, 0.975, 0.9999]]
    bound = [
        {
            "hits": hits,
            "n": n,
            "upper": float(stats.binomtest(hits, n, alternative="less").proportion_ci(0.95, method="exact").high),
        }
        for hits, n in [(0, 1000), (1, 1000), (5, 1000), (10, 1000), (3, 2000), (50, 60), (60, 60), (999, 1000)]
    ]
    json.dump(
        {"scipy": scipy.__version__, "one": one, "two": two, "t": t, "normal": normal, "clopper_pearson": bound},
        sys.stdout,
        indent=1,
    )
    sys.stdout.write("\n")


main()
