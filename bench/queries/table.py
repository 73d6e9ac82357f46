"""The table of run.sh, from the JSON of `cairn solve`: one file per program and way to answer."""

import json
import os
import sys
from statistics import mean, median

WAYS = [("stack", "whole stack"), ("sat", "bit-blasting alone"), ("z3", "Z3, incremental"), ("z3--fresh", "Z3, fresh"),
        ("other-z3", "Z3 from PyPI"), ("other-bitwuzla", "Bitwuzla"), ("other-cvc5", "cvc5")]


def load(directory):
    """Answers by way and file, and tallies of the stack's layers."""
    answers = {way: {} for way, _ in WAYS}
    layers = {}
    for name in sorted(os.listdir(directory)):
        way = name.rpartition(".")[2]
        if way not in answers:
            continue
        with open(os.path.join(directory, name)) as file:
            told = json.load(file)
        answers[way].update({os.path.normpath(one["file"]): one for one in told["answers"]})
        if way == "stack":
            for layer, tally in told["layers"].items():
                sums = layers.setdefault(layer, {})
                for key, value in tally.items():
                    sums[key] = sums.get(key, 0) + value
    return answers, layers


def contradictions(answers):
    """Queries that one way calls sat and another, or the campaign, unsat."""
    found = []
    for file, one in answers["stack"].items():
        said = {answers[way][file]["answer"] for way, _ in WAYS} | {one.get("status", "unknown")}
        if {"sat", "unsat"} <= said:
            found.append(file)
    return found


def main(directory):
    answers, layers = load(directory)
    count = len(answers["stack"])
    print(f"{count} queries, each sliced\n")
    print("| | sat | unsat | unknown | mean, ms | median, ms | mean CPU, ms | CPU in all, s | CPU / stack |")
    print("|---|---|---|---|---|---|---|---|---|")
    base = sum(one["cpu_seconds"] for one in answers["stack"].values())
    for way, title in WAYS:
        all_of = list(answers[way].values())
        said = [sum(one["answer"] == kind for one in all_of) for kind in ("sat", "unsat", "unknown")]
        wall = [1e3 * one["seconds"] for one in all_of]
        cpu = [one["cpu_seconds"] for one in all_of]
        print(f"| {title} | {said[0]} | {said[1]} | {said[2]} | {mean(wall):.3f} | {median(wall):.3f} |"
              f" {1e3 * mean(cpu):.3f} | {sum(cpu):.2f} | {sum(cpu) / base:.1f}x |")
    print("\n| layer | asked | answered | share | own time, s |\n|---|---|---|---|---|")
    for layer, tally in layers.items():
        # What is asked of `validate` are models, not queries.
        answered = tally["sat"] + tally["unsat"] + tally["unknown"] if layer != "validate" else 0
        print(f"| {layer} | {tally['asked']} | {answered} | {100 * answered / count:.1f} % | {tally['seconds']:.2f} |")
    wrong = contradictions(answers)
    print(f"\ncontradictions: {len(wrong)} {' '.join(wrong[:5])}")
    print("goals: mean <= 0.5 ms; Z3 fresh >= 10x, Z3 incremental >= 4x the stack's CPU; no contradiction")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
