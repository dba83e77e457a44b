"""Runs one generated program on a device and compares what two devices made of it.

A program is Python source: a literal ``CASE`` that says how to launch it, and a function ``kernel``
whose parameters say by their names what memory they are. Non-goals: making programs. Invariant:
the memory of a program depends on its text only, so both devices start from the same.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

_numbers = itertools.count()


@dataclass(frozen=True)
class Case:
    """How to launch a program.

    ``kind`` is range, nd_range, single or work_group; ``span`` the global range (work_group: the
    number of groups); ``size`` the extent of every input and output; ``reductions`` holds
    (dtype, operator, identity or None); operators not in ``sycl`` are functions of the program.
    ``launches`` times the same is launched, one after another.
    """

    kind: str
    span: tuple[int, ...]
    local: tuple[int, ...]
    size: int
    seed: int
    reductions: tuple[tuple[str, str, int | None], ...] = ()
    launches: int = 1

    @property
    def items(self) -> int:
        extent = self.span
        if self.kind == "work_group":
            extent = tuple(g * x for g, x in zip(self.span, self.local, strict=True))
        return math.prod(extent)


def case_of(text: str) -> Case:
    """Read the literal ``CASE`` of a program."""
    for stmt in ast.parse(text).body:
        if isinstance(stmt, ast.Assign) and ast.unparse(stmt.targets[0]) == "CASE":
            return Case(**ast.literal_eval(stmt.value))
    raise ValueError("the program has no CASE")


def load(text: str) -> dict[str, Any]:
    """Execute a program's text so that kernels in it can be found by their source."""
    name = f"<property {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, name, "exec"), names)  # noqa: S102 -- our own text
    return names


def numbers(rng: np.random.Generator, dtype: str, count: int) -> np.ndarray[Any, Any]:
    """Return values of a type: mostly small, some at the limits; floats are multiples of 1/8."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return (rng.integers(-32, 33, count) / 8).astype(kind)
    if kind.kind == "b":
        return rng.integers(0, 2, count).astype(kind)
    small = rng.integers(-9 if kind.kind == "i" else 0, 10, count).astype(kind)
    info = np.iinfo(kind)
    wide = rng.integers(info.min, info.max, count, dtype=kind, endpoint=True)
    return np.where(rng.random(count) < 0.25, wide, small)


def memory(case: Case, name: str) -> Any:
    """Return a new object for a kernel parameter, by the meaning of its name."""
    rng = np.random.default_rng([case.seed, *name.encode()])
    head, _, rest = name.partition("_")
    match head[0]:
        case "a" | "o":
            return numbers(rng, rest, case.size)
        case "m":
            return numbers(rng, rest, case.items).reshape(case.span)
        case "v" | "y":
            count = int(head[1:].rstrip("op"))
            return vectors(rng, (sycl.vec if head[0] == "v" else sycl.marray)(rest, count), case)
        case "x":
            return numbers(rng, rest, 16 * case.size)
        case "c":
            return numbers(rng, rest, 8)
        case "t":
            return sycl.local_accessor(np.dtype(rest), math.prod(case.local))
        case "u":
            return sycl.local_accessor(np.dtype(rest), 8)
        case "n":
            return np.int32(rng.integers(0, 7))
        case "p":
            return int(rng.integers(0, 7))
        case "f":
            return np.float32(rng.integers(-16, 17) / 8)
    if head == "idx":
        return rng.integers(0, case.size, case.size).astype(np.int32)
    assert head == "rows", name
    return rng.permutation(case.items).astype(np.int64)


def vectors(rng: np.random.Generator, kind: Any, case: Case) -> np.ndarray[Any, Any]:
    """Return vectors of a type."""
    made = np.zeros(case.size, kind)
    for name in made.dtype.names or ():
        made[name] = numbers(rng, kind.element.name, case.size)
    return made


def parameters(text: str) -> list[str]:
    """Return the names of the kernel's memory parameters, without the index and reducers."""
    tree = ast.parse(text)
    kernel = next(s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == "kernel")
    return [a.arg for a in kernel.args.args if a.arg != "it" and not a.arg.startswith("red")]


def run(text: str, device: str) -> dict[str, np.ndarray[Any, Any]]:
    """Run a program on the device of a name and return everything it may have written."""
    case, names = case_of(text), load(text)
    queue = sycl.queue(getattr(sycl, f"{device}_selector_v"))
    given = {name: memory(case, name) for name in parameters(text)}
    results, reductions = {}, []
    for k, (dtype, op, identity) in enumerate(case.reductions):
        target = numbers(np.random.default_rng([case.seed, k]), dtype, 1)
        results[f"red{k}"] = target
        rest = () if identity is None else (np.dtype(dtype).type(identity),)
        reductions.append(sycl.reduction(target, *rest, names.get(op) or getattr(sycl, op)))
    for _ in range(case.launches):
        launch(queue, case, reductions, names["kernel"], list(given.values()))
        queue.wait_and_throw()
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            fields = value.dtype.names or ()
            results |= {f"{name}.{field}": value[field] for field in fields} or {name: value}
    return results


def launch(queue: Any, case: Case, reductions: list[Any], kernel: Any, args: list[Any]) -> None:
    """Submit a kernel as its case says."""
    if case.kind == "single":
        queue.single_task(kernel, *args)
    elif case.kind == "range":
        queue.parallel_for(sycl.range(*case.span), *reductions, kernel, *args)
    elif case.kind == "nd_range":
        space = sycl.nd_range(sycl.range(*case.span), sycl.range(*case.local))
        queue.parallel_for(space, *reductions, kernel, *args)
    else:
        queue.submit(lambda h: h.parallel_for_work_group(
            sycl.range(*case.span), sycl.range(*case.local), kernel, *args))


def differences(expected: dict[str, np.ndarray[Any, Any]],
                found: dict[str, np.ndarray[Any, Any]]) -> list[str]:
    """Return one line for every array that differs, with the first place and both values."""
    lines = []
    for name, want in expected.items():
        got = found[name]
        equal = (want == got) | ((want != want) & (got != got))
        if not equal.all():
            at = tuple(int(i[0]) for i in np.nonzero(~equal))
            lines.append(f"{name}{list(at)}: expected {want[at]!r}, got {got[at]!r}"
                         f" ({int((~equal).sum())} of {want.size} differ)")
    return lines


def compare(text: str, device: str = "cpu") -> list[str]:
    """Run a program on the host device and on another and return what differs."""
    first = run(text, "host")
    return [] if device == "host" else differences(first, run(text, device))


def check(text: str) -> None:
    """Assert that a program gives the host's answer."""
    found = compare(text)
    assert not found, "\n".join(found)
