"""Figures of one trial, and the table of all; see trial.sh and run.sh."""

import json
import math
import os
import sys
from itertools import combinations
from statistics import median


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def afl_figures(scratch):
    """What AFL++ says of its work; an error if it did none, or without CMPLOG."""
    # In a directory that is shared it has a name.
    name = "afl" if os.path.isdir(os.path.join(scratch, "out", "afl")) else "default"
    lines = read(scratch, "out", name, "fuzzer_stats").splitlines()
    stats = {key.strip(): value.strip() for key, value in (line.split(":", 1) for line in lines)}
    executions, queue = int(stats["execs_done"]), int(stats["corpus_count"])
    working = "Cmplog forkserver successfully started" in read(scratch, "afl.log")
    if executions <= 1 or queue <= 1 or not working:
        sys.exit(f"AFL++ did not work: {executions} executions, {queue} inputs; see {scratch}/afl.log")
    return {"executions": executions, "queue": queue, "imported": int(stats["corpus_imported"])}


def trial(tool, scratch):
    """Prints the figures of a trial as JSON."""
    figures = json.loads(read(scratch, "covered"))
    parts = {"cairn": ["cairn"], "afl": ["afl"], "together": ["cairn", "afl"]}[tool]
    figures["cpu_seconds"] = sum(float(read(scratch, f"{part}.cpu")) for part in parts)
    if "afl" in parts:
        figures["afl"] = afl_figures(scratch)
    if "cairn" in parts:
        figures["cairn"] = json.loads(read(scratch, "cairn.log"))
    print(json.dumps(figures))


def ranks(values):
    """Ranks from 1 on; ties share their mean rank."""
    return [sum(y < x for y in values) + (values.count(x) + 1) / 2 for x in values]


def mann_whitney(a, b):
    """Exact two-sided p value of the U test: the share of all divisions that are as far from the mean."""
    every = ranks(a + b)
    mean = len(a) * (len(every) + 1) / 2
    distance = abs(sum(every[: len(a)]) - mean)
    far = sum(abs(sum(some) - mean) >= distance - 1e-9 for some in combinations(every, len(a)))
    return far / math.comb(len(every), len(a))


def load(directory, prefix, trials):
    """Trials of a tool on a program, as far as they are there."""
    names = [os.path.join(directory, f"{prefix}-{trial}.json") for trial in range(1, trials + 1)]
    return [json.loads(read(name)) for name in names if os.path.exists(name)]


def branches(trials):
    return [trial["branches"] for trial in trials]


def cell(trials):
    """Branches, and the CPU seconds really used."""
    if not trials:
        return "- | -"
    counts = branches(trials)
    spread = f" ({min(counts)} to {max(counts)})" if len(counts) > 1 else ""
    return f"{median(counts):.0f}{spread} | {median(t['cpu_seconds'] for t in trials):.1f}"


def executions(trials, tool):
    return f"{median(t[tool]['executions'] for t in trials):.0f}"


def table(results, version, trials, *programs):
    print("| program | Cairn, branches | CPU s | runs | AFL++, branches | CPU s | runs | ratio | p | together | CPU s |")
    print("|---" * 11 + "|")
    ratios = []
    for program in programs:
        directory = os.path.join(results, program)
        prefixes = (f"cairn-{version}", "afl", f"together-{version}")
        cairn, afl, both = (load(directory, prefix, int(trials)) for prefix in prefixes)
        ratios.append(median(branches(cairn)) / median(branches(afl)))
        p = mann_whitney(branches(cairn), branches(afl))
        print(f"| {program} | {cell(cairn)} | {executions(cairn, 'cairn')} "
              f"| {cell(afl)} | {executions(afl, 'afl')} | {ratios[-1]:.2f} | {p:.3f} | {cell(both)} |")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    ahead = sum(ratio > 1 for ratio in ratios)
    print(f"\nCairn ahead on {ahead} of {len(ratios)}; geometric mean of the ratios {mean:.2f}")


if __name__ == "__main__":
    {"trial": trial, "table": table}[sys.argv[1]](*sys.argv[2:])
