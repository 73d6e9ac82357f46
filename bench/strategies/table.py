"""How far strategies are behind the best, program by program, from the trials that run.sh wrote."""

import csv
import glob
import os
import sys
from statistics import mean


def load(directory):
    """Mean coverage by program and strategy."""
    means = {}
    for path in sorted(glob.glob("**/trials.csv", root_dir=directory, recursive=True)):
        program = os.path.dirname(path)
        covered = {}
        with open(os.path.join(directory, path), newline="") as file:
            for row in csv.DictReader(file):
                covered.setdefault(row["strategy"], []).append(int(row["branches_covered"]))
        means[program] = {strategy: mean(counts) for strategy, counts in covered.items()}
    return means


def main(directory):
    means = load(directory)
    strategies = list(dict.fromkeys(strategy for program in means.values() for strategy in program))
    share = {
        strategy: [program[strategy] / max(program.values()) for program in means.values() if strategy in program]
        for strategy in strategies
    }
    strategies.sort(key=lambda strategy: -mean(share[strategy]))
    print("| strategy | of the best, mean | worst program | " + " | ".join(means) + " |")
    print("|---" * (3 + len(means)) + "|")
    for strategy in strategies:
        worst = min(means, key=lambda name: means[name].get(strategy, 1e9) / max(means[name].values()))
        cells = [f"{means[name][strategy]:.0f}" if strategy in means[name] else "-" for name in means]
        low = 100 * means[worst].get(strategy, 0) / max(means[worst].values())
        print(f"| {strategy} | {100 * mean(share[strategy]):.1f} % | {low:.1f} % {worst} | " + " | ".join(cells) + " |")


main(sys.argv[1])
