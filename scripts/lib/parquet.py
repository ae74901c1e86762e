"""Compares the answers of databases, over an export, with those of `shakedown history`.

usage: parquet.py SHAKEDOWN PAGE, in an empty folder, with SHAKEDOWN_HISTORY in the environment
"""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable

import duckdb
from chdb.session import Session

SCENARIO = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"
SUBJECTS = ["openssl@3.5.5", "rustls@0.23.46"]
Rows = list[list[object]]


def blocks(page: str) -> dict[str, str]:
    """The SQL of the page, by the comment that each block begins with."""
    found = re.findall(r"```sql\n-- ([^\n]+)\n(.*?)```", page, re.DOTALL)
    return {name: sql for name, sql in found}


def statements(sql: str) -> list[str]:
    return [one for one in re.split(r";\s*(?:\n|$)", sql) if one.strip()]


def on_duckdb(sql: dict[str, str]) -> Callable[[str], Rows]:
    database = duckdb.connect()
    for statement in statements(sql["duckdb: the tables"]):
        database.execute(statement)
    counted = database.execute("SELECT count(*) FROM samples").fetchone()
    assert counted is not None and counted[0] > 0, counted
    assert database.execute("SELECT min(month) FROM trials").fetchone() == ("2026-11",)
    return lambda query: [list(row) for row in database.execute(query).fetchall()]


def on_clickhouse(sql: dict[str, str]) -> Callable[[str], Rows]:
    database = Session("clickhouse")
    for statement in statements(sql["clickhouse: the tables"]):
        database.query(statement)
    # Twice, as on the next day: nothing is there twice.
    for statement in statements(sql["clickhouse: after each export"]) * 2:
        database.query(statement)
    database.query("USE shakedown")

    def ask(query: str) -> Rows:
        text = str(database.query(query.rstrip().rstrip(";"), "JSONCompactEachRow"))
        return [json.loads(line) for line in text.splitlines()]

    return ask


def same(what: str, found: Rows, expected: Rows) -> None:
    """Rows are equal; numbers to the last digits, since a quotient may be rounded otherwise."""

    def equal(one: object, other: object) -> bool:
        if isinstance(one, str) or isinstance(other, str):
            # ClickHouse writes 64-bit integers as texts in JSON.
            return str(one) == str(other)
        return math.isclose(float(str(one)), float(str(other)), rel_tol=1e-12)

    assert expected, f"{what}: nothing is expected"
    assert len(found) == len(expected), f"{what}: {len(found)} rows, not {len(expected)}"
    for row, wanted in zip(found, expected):
        fits = len(row) == len(wanted) and all(map(equal, row, wanted))
        assert fits, f"{what}:\n{row}\nis not\n{wanted}"


def main() -> None:
    shakedown, page = sys.argv[1:]

    def said(*arguments: str) -> list[dict]:
        done = subprocess.run([shakedown, *arguments, "--json"], check=True, capture_output=True)
        return json.loads(done.stdout)

    # Written twice, as it is each day.
    for _ in range(2):
        export = [shakedown, "export", "--format", "parquet", "--out", "parquet"]
        subprocess.run(export, check=True)
    with open(page, encoding="utf-8") as file:
        sql = blocks(file.read())

    series = ["subject", "side", "metric", "unit"]
    of_point = ["run", "started_ms", "epoch", "revision", "median", "low", "high", "n"]
    trend = [
        [one[key] for key in series] + [point[key] for key in of_point]
        for one in said("history", "trend", SCENARIO)
        for point in one["points"]
    ]
    trend.sort(key=lambda row: (row[0], row[1], row[2], row[5], row[4]))
    compare = [
        [one[key] for key in ["scenario", "side", "metric", "unit"]]
        + [one["base"]["run"], one["head"]["run"]]
        + [one["base"]["median"], one["head"]["median"], one["factor"]]
        for one in said("history", "compare", *SUBJECTS)
    ]
    compare.sort(key=lambda row: row[:3])
    medians = [
        [run["name"]]
        + [row["series"][key] for key in ["subject", "scenario", "side", "metric"]]
        + [row["median"], row["n"]]
        for run in said("history", "list")
        for row in said("history", "show", run["name"])
    ]
    medians.sort(key=lambda row: row[:5])
    shown = {row[0] for row in medians}

    for name, database in [("DuckDB", on_duckdb(sql)), ("ClickHouse", on_clickhouse(sql))]:
        same(f"{name}, trend", database(sql["both: trend"]), trend)
        same(f"{name}, compare", database(sql["both: compare"]), compare)
        found = [row for row in database(sql["both: medians"]) if row[0] in shown]
        same(f"{name}, medians", found, medians)
        print(f"{name}: {len(trend)} points, {len(compare)} pairs, {len(medians)} medians: the same")


if __name__ == "__main__":
    main()
