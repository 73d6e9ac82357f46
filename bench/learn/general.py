#!/usr/bin/env python3
"""Learns weights that are good on many programs: those that ship with Cairn.

    bench/learn/general.py DIR [PROGRAM...]      DIR gets general.toml, measured.csv and, on standard output, the table

By default the programs are sed tree xmlwf gawk grep (built by bench/subjects/build.sh). Samples are looked at briefly on every program,
the better ones longer (successive halving, as `cairn learn` does for one program). What counts on a program is the share of what the
best sample covers there, and of weights the mean of that over the programs.

Leave one out: for each program the same is done without it, on the same samples, and what comes of it is measured there. Measurements are kept in
measured.csv: started again, it goes on where it was stopped.
"""

import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "crates/search/weights/default.toml"
SAMPLES = int(os.environ.get("SAMPLES", "80"))
# How many samples are measured, for how many executions, with which seeds.
RUNGS = [(SAMPLES, 1000, (1,)), (24, 1000, (2,)), (7, 4000, (3,)), (3, 4000, (3, 4, 5))]
# A sample differs from the weights that are shipped today in this share of the features, by this much.
CHANGED, BY = 0.25, 1.5


class Measurements:
    """What campaigns have covered, on disk as soon as it is known."""

    def __init__(self, directory):
        self.directory = directory
        self.path = directory / "measured.csv"
        self.known = {}
        if self.path.exists():
            for sample, program, execs, seed, covered in csv.reader(self.path.open()):
                self.known[int(sample), program, int(execs), int(seed)] = int(covered)

    def need(self, keys):
        """Makes those campaigns that nobody has made."""
        wanted = sorted({key for key in keys if key not in self.known}, key=lambda key: key[1:])
        with ThreadPoolExecutor(os.cpu_count()) as pool, self.path.open("a") as file:
            for done, (key, covered) in enumerate(zip(wanted, pool.map(self.campaign, wanted)), 1):
                self.known[key] = covered
                file.write(",".join(map(str, (*key, covered))) + "\n")
                file.flush()
                print(f"\r{done} of {len(wanted)} campaigns ", end="", file=sys.stderr)
        if wanted:
            print(file=sys.stderr)

    def campaign(self, key):
        sample, program, execs, seed = key
        weights = self.directory / f"{sample}.toml"
        options = ["--strategy", f"parametric:{weights}", "--execs", execs, "--seed", seed, "--timeout", 200, "--quiet"]
        command = [ROOT / "bench/subjects/campaign.sh", program, *map(str, options)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(out)["branches_covered"]


def file_of(weights, how):
    """A file of weights like the one that is shipped."""
    text = SHIPPED.read_text()
    listed = "".join(f"    {weight:.2f},\n" for weight in weights)
    text = re.sub(r"weights = \[.*?\]", f"weights = [\n{listed}]", text, flags=re.S)
    return re.sub(r"\[obtained\].*", f'[obtained]\nhow = "{how}"\n', text, flags=re.S)


def draw(shipped):
    """The samples: what is shipped first."""
    rng = random.Random(0)
    change = lambda weight: weight + (rng.gauss(0, BY) if rng.random() < CHANGED else 0)
    return [shipped] + [[change(weight) for weight in shipped] for _ in range(1, SAMPLES)]


def ranking(measured, samples, programs, execs, seeds):
    """Samples with their share of the best, the best first."""
    measured.need([(s, p, execs, seed) for s in samples for p in programs for seed in seeds])
    total = lambda s, p: sum(measured.known[s, p, execs, seed] for seed in seeds)
    best = {p: max(total(s, p) for s in samples) for p in programs}
    share = lambda s: sum(total(s, p) / best[p] for p in programs) / len(programs)
    return sorted(((share(s), s) for s in samples), reverse=True)


def halve(measured, programs):
    samples = range(SAMPLES)
    for count, execs, seeds in RUNGS:
        ranked = ranking(measured, list(samples)[:count], programs, execs, seeds)
        samples = [sample for _, sample in ranked]
    return ranked


def mean(measured, sample, program):
    _, execs, seeds = RUNGS[-1]
    measured.need([(sample, program, execs, seed) for seed in seeds])
    return sum(measured.known[sample, program, execs, seed] for seed in seeds) / len(seeds)


def main():
    directory = pathlib.Path(sys.argv[1])
    programs = sys.argv[2:] or ["sed", "tree", "xmlwf", "gawk", "grep"]
    directory.mkdir(parents=True, exist_ok=True)
    weights = re.search(r"weights = \[(.*?)\]", SHIPPED.read_text(), re.S)[1]
    drawn = draw([float(weight) for weight in weights.split(",") if weight.strip()])
    for number, sample in enumerate(drawn):
        (directory / f"{number}.toml").write_text(file_of(sample, "a sample"))
    measured = Measurements(directory)
    ranked = halve(measured, programs)
    print("of all programs:", ", ".join(f"{sample} ({share:.3f})" for share, sample in ranked))
    best = ranked[0][1]
    how = f"learnt on {', '.join(programs)}: best of {SAMPLES} near the weights before them, by halving, 4,000 executions, 3 trials each at the end"
    (directory / "general.toml").write_text(file_of(drawn[best], how))
    print("| program | shipped before | learnt | learnt without it | which |\n|---|---|---|---|---|")
    for program in programs:
        without = halve(measured, [other for other in programs if other != program])[0][1]
        figures = [mean(measured, sample, program) for sample in (0, best, without)]
        print(f"| {program} | " + " | ".join(f"{figure:.0f}" for figure in figures) + f" | {without} |", flush=True)


main()
