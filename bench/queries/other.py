"""Answers scripts with another solver from PyPI, in a process of its own each: a JSON object like that of `cairn solve`.
Usage: other.py SOLVER SECONDS FILE|DIR...   (SOLVER: z3, bitwuzla or cvc5)"""

import json
import multiprocessing
import os
import resource
import sys
import time


def z3(file, seconds):
    import z3
    solver = z3.SolverFor("QF_BV") if is_plain(file) else z3.Solver()
    solver.set("timeout", int(1000 * seconds))
    solver.from_file(file)
    return str(solver.check())


def bitwuzla(file, seconds):
    import bitwuzla
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(1000 * seconds))
    terms = bitwuzla.TermManager()
    parser = bitwuzla.Parser(terms, options)
    parser.parse(without_check(file), True, False)
    return str(parser.bitwuzla().check_sat())


def cvc5(file, seconds):
    import cvc5
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", str(int(1000 * seconds)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, without_check(file), file)
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, parser.getSymbolManager())
    return str(solver.checkSat()).split(" ")[0]


def is_plain(file):
    with open(file) as script:
        return "(set-logic QF_BV)" in script.read(400)


def without_check(file):
    """The script without its queries."""
    queries = ("(check-sat", "(get-", "(exit")
    with open(file) as script:
        return "".join(line for line in script if not line.startswith(queries))


def status(file):
    with open(file) as script:
        text = script.read()
    return next((s for s in ("unsat", "sat") if f"(set-info :status {s})" in text), "unknown")


def answer(solver, file, seconds, pipe):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    start, cpu = time.monotonic(), time.process_time()
    try:
        verdict = globals()[solver](file, seconds)
    except Exception as error:  # A script it cannot read, or no memory.
        verdict = f"error: {error}"
    pipe.send((verdict, time.monotonic() - start, time.process_time() - cpu))


def ask(solver, file, seconds):
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=answer, args=(solver, file, seconds, theirs))
    process.start()
    theirs.close()
    try:
        # As much beyond the limit as the stack may take.
        told = ours.recv() if ours.poll(seconds + 1.5) else None
    except EOFError:
        told = None
    process.kill()
    process.join()
    verdict, wall, cpu = told or ("unknown", seconds, seconds)
    return {"file": file, "status": status(file), "answer": verdict, "seconds": wall, "cpu_seconds": cpu}


def main(solver, seconds, *paths):
    # Loaded before the clocks start, once.
    __import__(solver)
    files = []
    for path in paths:
        inside = os.walk(path) if os.path.isdir(path) else [("", [], [path])]
        files += [os.path.join(at, name) for at, _, names in inside for name in names if name.endswith(".smt2")]
    print(json.dumps({"answers": [ask(solver, file, float(seconds)) for file in sorted(files)], "layers": {}}))


main(*sys.argv[1:])
