# SPDX-License-Identifier: Apache-2.0
"""What the sections of the benchmark share: calling programs, rows, and what is wanted."""

import json
import os
import statistics
import subprocess
import sys

WIDTH = 46  # of a row's name
TIMEOUT = 180  # seconds, for one call of a program


class Failed(Exception):
    """A program that did not do its work: that is no matter of speed."""


class Wanted:
    """A bound of the project, and what came out."""

    def __init__(self, section, name, bound, least, unit):
        self.section, self.name = section, name
        self.bound, self.least, self.unit = bound, least, unit
        self.measured = None  # or a number

    def verdict(self):
        if self.measured is None:
            return "not measured"
        holds = self.measured >= self.bound if self.least else self.measured <= self.bound
        return "ok" if holds else "SHORT"


class Bench:
    def __init__(self, build, rounds, quick, scratch):
        self.build = os.path.abspath(build)
        self.rounds = rounds
        self.quick = quick
        self.scratch = scratch  # a directory for files
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.section = ""
        self.wanted = []
        self.failures = []
        os.environ["ACQ_BUILD_ROOT"] = self.build

    # Programs

    def program(self, name):
        """The path of a program of this folder."""
        path = self.peer(name)
        if path is None:
            raise Failed(f"{name} was not built in {self.build}")
        return path

    def peer(self, name):
        """The same of one that is not built everywhere: then None."""
        path = os.path.join(self.build, "tests", "bench", name)
        return path if os.access(path, os.X_OK) else None

    def call(self, command, timeout=TIMEOUT):
        """Runs a program; returns its lines of JSON."""
        name = os.path.basename(command[0])
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, text=True, timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{name} was not done after {timeout} s") from error
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise Failed(f"{name} ended with {done.returncode}: {reason}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def in_turns(self, commands, rounds=None):
        """Calls all commands again and again, so that a machine that drifts does so for all.

        Returns for each command its rows of all rounds; for None an empty list.
        """
        rows = [[] for _ in commands]
        for _ in range(rounds or self.rounds):
            for mine, command in zip(rows, commands):
                if command is not None:
                    mine.extend(self.call(command))
        return rows

    # Text

    def row(self, name, value, note=""):
        print(f"  {name:<{WIDTH}} {value:>13}  {note}".rstrip(), flush=True)

    def say(self, text):
        print(f"  {text}", flush=True)

    # What is wanted

    def want(self, name, bound, measured=None, least=True, unit=""):
        """Something that the project promises. Without a value it is not measured."""
        wanted = Wanted(self.section, name, bound, least, unit)
        wanted.measured = measured
        self.wanted.append(wanted)

    def want_most(self, name, bound, measured=None, unit=""):
        self.want(name, bound, measured, False, unit)


def median(rows, key):
    """Of a key, or of a function of a row."""
    return statistics.median(key(row) if callable(key) else row[key] for row in rows)


def python_with(module):
    """A Python that has a module: the one that runs, or the system's. None when neither has."""
    for python in (sys.executable, "/usr/bin/python3"):
        found = subprocess.run([python, "-c", f"import {module}"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False)
        if found.returncode == 0:
            return python
    return None
