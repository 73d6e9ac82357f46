"""Runs a command until it and all that it starts have used so many CPU seconds; see run.sh.

Usage: limit.py SECONDS RECORD COMMAND...   (RECORD gets the CPU seconds, user and system, that were really used)
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

INTERVAL = 0.1
# A program that waits uses no CPU: how much longer than its CPU limit a command may take.
WALL_FACTOR = 20
# Seconds until a command that was asked to stop is killed.
GRACE = 20
SET_CHILD_SUBREAPER = 36
TICKS = os.sysconf("SC_CLK_TCK")


def processes():
    """Parent and CPU seconds, with those of reaped children, of every process."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    return found


def descendants(every):
    """All processes below this one."""
    children = {}
    for pid, (parent, _) in every.items():
        children.setdefault(parent, []).append(pid)
    below = []
    todo = [os.getpid()]
    while todo:
        found = children.get(todo.pop(), [])
        below += found
        todo += found
    return below


def used():
    """CPU seconds of all that this process has started, alive or dead."""
    every = processes()
    dead = resource.getrusage(resource.RUSAGE_CHILDREN)
    return dead.ru_utime + dead.ru_stime + sum(every[pid][1] for pid in descendants(every))


def kill_rest():
    """Kills and reaps what the command has left behind: it was reparented to this process."""
    while rest := descendants(processes()):
        for pid in rest:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def main(seconds, record, *command):
    seconds = float(seconds)
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    end = time.monotonic() + WALL_FACTOR * seconds
    child = subprocess.Popen(command)
    while child.poll() is None and used() < seconds and time.monotonic() < end:
        time.sleep(INTERVAL)
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
    kill_rest()
    child.wait()
    with open(record, "w") as file:
        file.write(f"{used():.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
