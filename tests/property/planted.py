"""How many random programs find a defect that is put back: ``python -m tests.property.planted``.

Each plant replaces one function of the package, in memory and in a child process, by what it was
before a defect was mended, or by one that does not do its work. Random programs run until one shows
it; how many that took is printed. Non-goals: running in every test run (``test_planted`` only asks
whether each plant still has something to replace). Invariant: compiled code is not kept on disk.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import unisycl as sycl
from tests.property import fuzz, partings
from tests.property.programs import program
from unisycl.base import dtypes
from unisycl.frontend import coerce
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar
from unisycl.process import disk_cache
from unisycl.testing import find_device

SHARE = 100
"""How many programs a child process runs."""
SECONDS = 90
"""How long a program may take by the clock: a defect may leave work-items waiting, which takes no
time of the processor. One that takes longer counts as found, where it does not without the defect.
"""
Replacement = Callable[[Any], Any]


# ---- what a plant is
@dataclass(frozen=True)
class Plant:
    """A defect: ``module`` and ``name`` of what is replaced, ``by`` gives what replaces it.

    ``find`` runs the program of a seed and returns what is wrong, or nothing.
    """

    what: str
    module: str
    name: str
    by: Replacement
    find: Callable[[int], str]

    def owner(self) -> tuple[Any, str]:
        """Return the object that holds what is replaced, and its attribute."""
        *path, last = self.name.split(".")
        found = importlib.import_module(self.module)
        for step in path:
            found = getattr(found, step)
        return found, last

    def put(self) -> None:
        """Put the defect back."""
        owner, last = self.owner()
        setattr(owner, last, self.by(getattr(owner, last)))


# ---- how it shows
def differs(seed: int) -> str:
    """Run a program on the host and the CPU."""
    word, details = fuzz.outcome(program(seed))
    return "" if word == "same" else f"{word}: {details}"


def differs_on_pocl(seed: int) -> str:
    """Run a program on the host and PoCL's device."""
    text = fuzz.fitting(program(seed), "opencl:1")
    word, details = fuzz.outcome(text, "opencl:1")
    return "" if word in fuzz.FINE else f"{word}: {details}"


def parted(seed: int, *, device: str = "cpu", debug: bool = False) -> str:
    """Run a kernel whose items part ways on the host and a device."""
    host = partings.run(seed, find_device("host"))
    try:
        found = partings.run(seed, find_device(device), debug=debug)
    except sycl.exception as error:
        return str(error)
    return "" if np.array_equal(host, found) else "differs"


def parted_on_opencl(seed: int) -> str:
    return parted(seed, device="opencl:0")


def disagreed(seed: int) -> str:
    """Run a kernel in which items may give a group different arguments; both have to tell."""
    told = []
    kept = partings.program
    text = kept(seed).replace("even[x] % m", "own[x] % m")
    partings.program = lambda _: text
    try:
        for device in ("host", "cpu"):
            try:
                partings.run(seed, find_device(device), debug=True)
                told.append(False)
            except sycl.exception:
                told.append(True)
    finally:
        partings.program = kept
    return "" if told[0] == told[1] else "not told on the CPU"


# ---- the defects
def _one_type(assign: Any) -> Any:
    """Give a name the promotion of all types that it is ever assigned, backwards in time, too."""
    def joined(self: Any, name: str, value: Any, node: Any) -> None:
        if isinstance(value, n.Expr) and type(value.type) is Scalar and not value.type.weak:
            key = ("planted", self.frames[-1].key, name)
            known = self.types.get(key, value.type.dtype)
            to = dtypes.promote(known, value.type.dtype) or known
            if to is not self.types.get(key):
                self.types[key] = to
                self.changed = True
            value = coerce.convert(value, Scalar(to))
        assign(self, name, value, node)
    return joined


def _bytes(operand: Any) -> Any:
    """Move a pointer by bytes."""
    def moved(ctx: Any, op: str, value: Any, type: Any, node: Any) -> n.Expr:
        if hasattr(type, "elem") and op in ("add", "sub"):
            return coerce.convert(ctx.to_scalar(value, node), Scalar(type.dtype))
        found: n.Expr = operand(ctx, op, value, type, node)
        return found
    return moved


def _with(value: Any) -> Replacement:
    """Replace a function by one that always gives this."""
    return lambda _: lambda *args, **options: value


def _unchecked(statement: Any) -> Any:
    """Do not ask whether the items of a group give the same."""
    return lambda self, stmt: [] if isinstance(stmt, n.Agree) else [stmt] \
        if isinstance(stmt, n.GroupCall) else statement(self, stmt)


def _forgetting(make_dialect: Any) -> Any:
    """Write small local arrays as arrays, which PoCL 3 miscompiles."""
    return lambda traits, quirks, **options: make_dialect(
        traits, replace(quirks, forgets_local=False), **options)


PLANTS = {
    "types": Plant("a name has one type in the whole function", "unisycl.frontend.syntax.variables",
                   "Variables.assign", _one_type, differs),
    "unassigned": Plant("names that not every path assigns are read",
                        "unisycl.frontend.syntax.expr", "check_read", _with(None), differs),
    "item 0": Plant("the first item decides loops around barriers",
                    "unisycl.passes.shared.lockstep",
                    "parting", _with(frozenset()), parted),
    "item 0, OpenCL": Plant("the same, by Intel's compiler",
                            "unisycl.passes.shared.lockstep", "whole",
                            lambda _: lambda kernel, watch=None: kernel, parted_on_opencl),
    "arguments": Plant("debugged kernels miss arguments that a group does not share",
                       "unisycl.passes.checks.collectives", "_Checks.statement", _unchecked,
                       disagreed),
    "PoCL": Plant("PoCL gets local memory as arrays", "unisycl.backends.opencl.driver",
                  "make_dialect", _forgetting, differs_on_pocl),
    "bytes": Plant("atomics move pointers by bytes", "unisycl.frontend.values.atomics", "_operand",
                   _bytes, differs),
    "swaps": Plant("swaps of records by names duplicate", "unisycl.frontend.syntax.overwrites",
                   "Overwrites.check", _with(None), differs),
    "places": Plant("of two memories that change places, it is always the first",
                    "unisycl.frontend.values.choices", "_is",
                    _with(coerce.weak_scalar(True)), differs),
}


# ---- finding them
def search(plant: Plant, first: int, count: int) -> tuple[int, str] | None:
    """Return how many programs it took to find a defect, and how it showed; None: not found."""
    done = 0
    while done < count:
        seeds = range(first + done, first + min(done + SHARE, count))
        at, text = _child(plant, seeds, put=True)
        done = at - first + 1
        if text and not _child(plant, range(at, at + 1), put=False)[1]:
            return done, text
    return None


def _child(plant: Plant, seeds: range, *, put: bool) -> tuple[int, str]:
    """Run seeds in a child, with the defect or without; return the last one, and what was wrong."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        warnings.simplefilter("ignore")
        os.environ["UNISYCL_CACHE"] = "off"
        disk_cache.directory.cache_clear()
        if put:
            plant.put()
        with os.fdopen(write, "w", buffering=1) as out:
            for seed in seeds:
                print("start", seed, file=out)
                fuzz.limit(fuzz.LIMIT)
                signal.alarm(SECONDS)
                try:
                    found = plant.find(seed)
                except Exception as error:  # noqa: BLE001 -- whatever goes wrong shows it
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    found = f"{type(error).__name__} at {where.filename}:{where.lineno}: {error}"
                if found:
                    print("found", found.replace("\n", " "), file=out)
                    break
        os._exit(0)
    os.close(write)
    at, text = seeds.start, ""
    with os.fdopen(read) as lines:
        for line in lines:
            word, _, rest = line.strip().partition(" ")
            at, text = (int(rest), "") if word == "start" else (at, rest)
    _, status = os.waitpid(child, 0)
    return at, text or ("" if not status else f"died with {status}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant one defect after another and print how many programs find it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("plants", nargs="*", help=f"some of: {', '.join(PLANTS)}")
    parser.add_argument("--count", type=int, default=2000, help="programs to try for each")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    sycl.remember_exec()
    missed = 0
    for name in asked.plants or PLANTS:
        found = search(PLANTS[name], asked.seed, asked.count)
        missed += found is None
        text = f"not found in {asked.count}" if found is None else f"{found[0]}: {found[1][:160]}"
        print(f"{name:20} {PLANTS[name].what}\n    {text}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
