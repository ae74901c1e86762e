"""Writes expected.json: what apache-otava finds in series that anybody can make again.

    python3 -m venv /tmp/otava && /tmp/otava/bin/pip install apache-otava==0.8.0
    /tmp/otava/bin/python history/store/tests/otava/make.py > history/store/tests/otava/expected.json
"""

import json
import random

import numpy
from otava.analysis import TTestSignificanceTester, compute_change_points

VERSION = "0.8.0"


def series(seed, length, steps, noise):
    chance = random.Random(seed)
    level, values = 1000.0, []
    for night in range(length):
        level *= steps.get(night, 1.0)
        values.append(round(level * (1 + chance.gauss(0, noise)), 4))
    return values


CASES = [(0, 60, {}, 0.004), (1, 60, {30: 0.97}, 0.004), (2, 120, {40: 0.98, 80: 1.05}, 0.004)]
CASES += [(3, 200, {150: 0.99}, 0.003), (4, 365, {100: 1.02, 130: 0.98, 300: 0.95}, 0.01)]
CASES += [(5, 40, {37: 0.9}, 0.004), (6, 365, {}, 0.01), (7, 30, {3: 1.1}, 0.002)]
CASES += [(seed, 150, {60: 1.015, 61: 0.99, 110: 0.985}, 0.006) for seed in range(8, 14)]
OPTIONS = [(50, 0.001, 0.0), (50, 0.0001, 0.01), (30, 0.001, 0.005)]

found = []
for seed, length, steps, noise in CASES:
    values = series(seed, length, steps, noise)
    results = []
    for window, max_p, magnitude in OPTIONS:
        points, _ = compute_change_points(
            list(values), window_len=window, max_pvalue=max_p, min_magnitude=magnitude
        )
        # Otava 0.8.0, having merged a point away, refreshes the numbers of the two points after
        # it and not of the one before it: what it prints of that one is out of date. Ask its own
        # test again for the segments that are left.
        tester = TTestSignificanceTester(max_p)
        intervals = tester.get_intervals(points)
        points = [tester.change_point(p.to_candidate(), numpy.array(values), intervals) for p in points]
        results.append(
            {
                "window": window,
                "max_p": max_p,
                "min_magnitude": magnitude,
                "points": [
                    {"index": int(p.index), "p": float(p.stats.pvalue), "before": float(p.stats.mean_1),
                     "after": float(p.stats.mean_2)}
                    for p in points
                ],
            }
        )
    found.append({"values": values, "results": results})
print(json.dumps({"otava": VERSION, "cases": found}))
