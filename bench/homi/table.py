"""Runs campaigns and tells what they covered, kept and took; see run.sh."""

import csv
import json
import os
import resource
import subprocess
import sys
from statistics import mean


def best(trials):
    """The strategy of a comparison that covered most on average."""
    covered = {}
    with open(trials, newline="") as file:
        for row in csv.DictReader(file):
            covered.setdefault(row["strategy"], []).append(int(row["branches_covered"]))
    print(max(covered, key=lambda strategy: mean(covered[strategy])))


def run(kept, *command):
    """Runs a campaign; its figures and the most memory that one of its processes had go to where it is kept."""
    told = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    figures = json.loads(told)
    figures["memory_mib"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    with open(os.path.join(kept, "figures.json"), "w") as file:
        json.dump(figures, file)


def states(kept):
    """The number of untried states at the end. Pruned ones are among them: a state is set aside when its turn comes."""
    with open(os.path.join(kept, "plot_data")) as file:
        return int(file.readlines()[-1].split(", ")[4])


def table(directory):
    print("| program | strategy | branches | runs | states at the end | memory, MiB | of it the tree |")
    print("|---|---|---|---|---|---|---|")
    for program in sorted(os.listdir(directory)):
        trials = {}
        for name in sorted(os.listdir(os.path.join(directory, program))):
            kept = os.path.join(directory, program, name)
            if os.path.exists(os.path.join(kept, "figures.json")):
                trials.setdefault(name.rsplit("-", 1)[0], []).append(kept)
        for strategy, every in trials.items():
            figures = [json.load(open(os.path.join(kept, "figures.json"))) for kept in every]
            covered = [figure["branches_covered"] for figure in figures]
            keys = ("executions", "memory_mib", "tree_bytes")
            runs, memory, tree = (mean(figure[key] for figure in figures) for key in keys)
            print(
                f"| {program} | `{strategy}` | {mean(covered):.0f} ({min(covered)} to {max(covered)}) | {runs:.0f} "
                f"| {mean(map(states, every)):.0f} | {memory:.0f} | {tree / 2**20:.0f} |"
            )


if __name__ == "__main__":
    {"best": best, "run": run, "table": table}[sys.argv[1]](*sys.argv[2:])
