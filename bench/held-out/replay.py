"""Replays inputs on a coverage build, one by one, and prints how many branch sides they take together; see run.sh.

Usage: replay.py PROFILE-DIRECTORY LIST PROGRAM ARGUMENTS...   (LIST names a file per line)
"""

import glob
import json
import os
import resource
import subprocess
import sys

# Limits of one run: seconds, address space and files written, in bytes.
SECONDS = 2
MEMORY = 1 << 30
FILES = 1 << 24


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILES, FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def replay(profiles, inputs, command):
    """Runs the program on each input. Counters live in a mapped file, so that crashes and hangs count, too."""
    environment = dict(os.environ, LLVM_PROFILE_FILE=os.path.join(profiles, "%m%c.profraw"))
    for name in inputs:
        with open(name, "rb") as file:
            try:
                quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                subprocess.run(command, stdin=file, **quiet, env=environment, preexec_fn=limit, timeout=5 * SECONDS)
            except subprocess.TimeoutExpired:
                pass


def count(profiles, program):
    """Branch sides taken, and all there are."""
    merged = os.path.join(profiles, "profdata")
    merge = ["llvm-profdata-19", "merge", "-sparse", "-o", merged]
    subprocess.run(merge + glob.glob(profiles + "/*.profraw"), check=True)
    export = ["llvm-cov-19", "export", "--summary-only", f"--instr-profile={merged}", program]
    told = subprocess.run(export, stdout=subprocess.PIPE, check=True).stdout
    branches = json.loads(told)["data"][0]["totals"]["branches"]
    return branches["covered"], branches["count"]


def main(profiles, listed, *command):
    with open(listed) as file:
        inputs = file.read().splitlines()
    replay(profiles, inputs, command)
    taken, total = count(profiles, command[0])
    print(json.dumps({"inputs": len(inputs), "branches": taken, "branches_total": total}))


if __name__ == "__main__":
    main(*sys.argv[1:])
