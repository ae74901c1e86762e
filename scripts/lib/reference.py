"""Code that the scripts scripts/reference-* share."""

import argparse
import datetime
import functools
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# A driver whose rate is lower than this share of the reference's is too slow.
FLOOR = 0.97
BEGIN, END = "<!-- rates: begin -->", "<!-- rates: end -->"


def fail(text):
    """Ends with exit code 2."""
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr)
    sys.exit(2)


def arguments(text, repository, document):
    """The parser of each script, with the options that all have."""
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default=repository,
                        help=f"git repository, or folder with its tree [default: {repository}]")
    parser.add_argument("--revision", help="commit, tag or branch of it")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="only scenarios with this in their id")
    parser.add_argument("--write", action="store_true",
                        help=f"put the table into {document}, in place of the last one")
    return parser


def run(command, **more):
    """Standard output of a command that must succeed."""
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, **more)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


def pinned(command, cpu, **more):
    """Standard output of a command on one CPU."""
    return run(["taskset", "-c", cpu, *command], **more)


def checkout(source, revision, name):
    """A fresh checkout under target/reference, its commit, and the revision's name. `revision` may
    be a function that chooses one of the repository's tags. A folder that is no repository is
    copied, and has no commit."""
    folder = ROOT / "target/reference" / name
    place = Path(source)
    if place.is_dir() and not (place / ".git").exists() and not (place / "HEAD").is_file():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(place, folder, symlinks=True, ignore=shutil.ignore_patterns("target"))
        return folder, None, "of a folder"
    if place.exists():
        source = place.resolve()
    if callable(revision):
        lines = run(["git", "ls-remote", "--tags", "--refs", source]).splitlines()
        revision = revision([line.split("refs/tags/")[1] for line in lines])
    git = ["git", "-C", folder]
    if not (folder / ".git").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        run([*git, "init", "--quiet"])
    # One commit: the history of these repositories is large, and copies of them may lack parts.
    run([*git, "fetch", "--quiet", "--force", "--depth=1", source, revision or "HEAD"])
    run([*git, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"])
    commit = run([*git, "rev-parse", "HEAD"]).strip()
    return folder, commit, revision or "HEAD"


def replace(path, changes):
    """Edits a file; each text must be there, or the file is not the one that this was made for."""
    text = path.read_text()
    for old, new, count in changes:
        if text.count(old) != count:
            fail(f"{path.name} changed upstream: `{old}` is there {text.count(old)} times, not "
                 f"{count}. Adapt this script, or name an older revision with --revision")
        text = text.replace(old, new)
    path.write_text(text)


def build(subject):
    """The driver of a subject, and the record of its build. SHAKEDOWN names another command."""
    command = [os.environ["SHAKEDOWN"]] if "SHAKEDOWN" in os.environ else [
        "cargo", "run", "--quiet", "--release", "--locked", "--bin", "shakedown", "--"]
    answer = json.loads(run([*command, "build", "--json", subject], cwd=ROOT))[0]
    return Path(answer["binaries"][0]), answer["artifact"]


@functools.cache
def protocol(driver):
    """The protocol that a driver speaks, as it says itself."""
    return json.loads(run([driver, "describe"]))["protocol"]


def rates(driver, scenario, cpu, tickets=2):
    """Rates of the driver by side: all of its work by all of its time."""
    request = {
        "protocol": protocol(driver), "scenario": scenario, "meter": "time", "pki": str(ROOT / "bench/pki"),
        "warm_up_ms": 100, "measure_ms": 500, "batch_ms": 10, "operations": 1,
        "tickets": tickets, "seed": 1,
    }
    reply = json.loads(pinned([driver, "measure"], cpu, input=json.dumps(request)))
    if "measured" not in reply:
        fail(f"{scenario}: {reply}")
    found = {}
    for side in reply["measured"]["sides"]:
        samples = side["samples"]
        work = sum(s["bytes"] / 2**20 if "bytes" in s else s["operations"] for s in samples)
        found[side["side"]] = work * 1e9 / sum(s["nanoseconds"] for s in samples)
    return found


def interval(values):
    """The narrowest order statistics around the median that cover it with at least 95 %."""
    values, n = sorted(values), len(values)
    for low in range((n - 1) // 2, -1, -1):
        inside = sum(math.comb(n, i) for i in range(low + 1, n - low)) / 2**n
        if inside >= 0.95:
            return values[low], values[n - 1 - low]
    return values[0], values[-1]


def compare(name, scenarios, theirs, ours, rounds):
    """Rounds of both programs, in random order within each. Returns the table, and the sides
    whose whole interval is below FLOOR."""
    lines = [f"| scenario | side | n | {name} | driver | ratio | 95 % interval |",
             "|---|---|--:|--:|--:|--:|---|"]
    print(*lines, sep="\n", flush=True)
    slow = []
    for scenario in scenarios:
        seen = {}
        for _ in range(rounds):
            tasks = [("theirs", theirs), ("ours", ours)]
            random.shuffle(tasks)
            result = {key: measure(scenario) for key, measure in tasks}
            for side, rate in result["ours"].items():
                seen.setdefault(side, []).append((rate, result["theirs"][side]))
        for side, pairs in seen.items():
            ratios = [mine / their for mine, their in pairs]
            low, high = interval(ratios)
            if high < FLOOR:
                slow.append(f"{scenario} {side}")
            lines.append(
                f"| {scenario} | {side} | {len(pairs)} "
                f"| {statistics.median(their for _, their in pairs):,.0f} "
                f"| {statistics.median(mine for mine, _ in pairs):,.0f} "
                f"| {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} |")
            print(lines[-1], flush=True)
    return "\n".join(lines), slow


def machine():
    """This machine and the date, in a sentence."""
    facts = dict(line.split(":", 1) for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if ":" in line)
    model = next((facts[key].strip() for key in facts if key.strip() == "model name"),
                 platform.machine())
    virtual = "hypervisor" in facts.get("flags\t\t", "")
    system = "".join(line.split("=", 1)[1].strip('"') for line in
                     Path("/etc/os-release").read_text().splitlines()
                     if line.startswith("PRETTY_NAME="))
    return (f"{datetime.datetime.now(datetime.timezone.utc).date()}, {model}, "
            f"{os.cpu_count()} CPUs{', virtual machine' if virtual else ''}, {system}, Linux "
            f"{platform.release()}, load {os.getloadavg()[0]:.1f}")


def finish(asked, document, preface, table, slow):
    """Writes the document if asked to, and ends the script."""
    command = f"{Path(sys.argv[0]).name} {' '.join(a for a in sys.argv[1:] if '/' not in a)}"
    text = f"`scripts/{command.strip()}`. {machine()}.\n{preface}\n\n{table}"
    if asked.write:
        path = ROOT / document
        before, rest = path.read_text().split(BEGIN)
        path.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")
    if slow:
        print(f"below {FLOOR}: {', '.join(slow)}", file=sys.stderr)
    sys.exit(1 if slow else 0)
