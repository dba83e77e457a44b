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
from tests.property import model
from tests.property.launches import launch
from unisycl.base.errors import UnsupportedError
from unisycl.testing import find_device

_numbers = itertools.count()


@dataclass(frozen=True)
class Case:
    """How to launch a program.

    ``kind`` is range, nd_range, single or work_group; ``span`` the global range (work_group: the
    number of groups); ``size`` the extent of every input and output; ``reductions`` holds
    (dtype, operator, identity or None); operators not in ``sycl`` are functions of the program.
    ``launches`` times the same is launched, one after another, in a ``way`` of ``launches``:
    direct, bind, graph or buffers. ``offset`` is the index space's; ``constants`` are the values
    of the specialization constants K0, K1, ... of the program.
    """

    kind: str
    span: tuple[int, ...]
    local: tuple[int, ...]
    size: int
    seed: int
    reductions: tuple[tuple[str, str, int | None], ...] = ()
    launches: int = 1
    way: str = "direct"
    offset: tuple[int, ...] = ()
    constants: tuple[int, ...] = ()

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
    exec(compile(text, name, "exec", dont_inherit=True), names)  # noqa: S102 -- our own text
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


def memory(case: Case, name: str, names: dict[str, Any], queue: Any = None) -> Any:
    """Return a new object for a kernel parameter, by the meaning of its name."""
    rng = np.random.default_rng([case.seed, *name.encode()])
    head, _, rest = name.partition("_")
    match head[0]:
        case "a" | "o":
            return numbers(rng, rest, case.size)
        case "m":
            shape = tuple(n + o for n, o in zip(case.span, case.offset or (0,) * 3, strict=False))
            return numbers(rng, rest, math.prod(shape)).reshape(shape)
        case "b" | "d":
            height = 8 if head[0] == "b" else case.items
            return numbers(rng, rest, 3 * height).reshape(height, 3)
        case "v" | "y":
            kind = (sycl.vec if head[0] == "v" else sycl.marray)(rest, int(head[1:].rstrip("oplc")))
            return sycl.local_accessor(kind, math.prod(case.local)) if head[-1] == "l" else \
                vectors(rng, kind, case)
        case "x":
            return numbers(rng, rest, 16 * case.size)
        case "c":
            return numbers(rng, rest, 8)
        case "g":
            return rng.integers(0, 256, (5, 7, 4), np.uint8)
        case "j":
            return numbers(rng, rest, 32 * case.items)
        case "s":
            kind = names[head.rstrip("olc").upper()]
            return sycl.local_accessor(kind, math.prod(case.local)) if head[-1] == "l" else \
                records(rng, kind.dtype, case.size)
        case "h":
            return Pointers(rng, rest, queue)
        case "w":
            return sycl.local_accessor(np.dtype(rest), case.local)
        case "t":
            return sycl.local_accessor(np.dtype(rest), math.prod(case.local))
        case "u":
            return sycl.local_accessor(np.dtype(rest), 8)
        case "n":
            return np.int32(rng.integers(0, 7))
        case "z":
            return view(rng, head, rest, case.size)
        case "p":
            return int(rng.integers(0, 7))
        case "f":
            return np.float32(rng.integers(-16, 17) / 8)
    if head == "idx":
        return rng.integers(0, case.size, case.size).astype(np.int32)
    assert head == "rows", name
    return rng.permutation(case.items).astype(np.int64)


def view(rng: np.random.Generator, form: str, dtype: str, size: int) -> np.ndarray[Any, Any]:
    """Return part of an array: backwards, a column of rows, or one element again and again."""
    if form.startswith("zone"):
        return np.broadcast_to(numbers(rng, dtype, 1), (size,))
    whole = numbers(rng, dtype, 3 * size + 2)
    if form.startswith("zback"):
        return whole[::-3][:size]
    return whole[2:].reshape(size, 3)[:, 1]


def records(rng: np.random.Generator, dtype: np.dtype[Any], count: int) -> np.ndarray[Any, Any]:
    """Return structs of a class."""
    made = np.zeros(count, dtype)
    for name, (kind, *_) in (dtype.fields or {}).items():
        size = math.prod(kind.shape)
        made[name] = records(rng, kind, count) if kind.names else \
            numbers(rng, kind.base.name, count * size).reshape(count, *kind.shape)
    return made


def vectors(rng: np.random.Generator, kind: Any, case: Case) -> np.ndarray[Any, Any]:
    """Return vectors of a type."""
    made = np.zeros(case.size, kind)
    for name in made.dtype.names or ():
        made[name] = numbers(rng, kind.element.name, case.size)
    return made


class Pointers:
    """Eight pointers in memory, and the numbers they point to."""

    def __init__(self, rng: np.random.Generator, dtype: str, queue: Any) -> None:
        self.numbers = sycl.malloc_shared(64, np.dtype(dtype), queue)
        self.numbers[:] = numbers(rng, dtype, 64)
        self.cells = sycl.malloc_shared(8, sycl.global_ptr[np.dtype(dtype)], queue)
        for k in range(8):
            self.cells[k] = self.numbers.pointer_to(4 * k + 16)

    def found(self) -> np.ndarray[Any, Any]:
        """Return where the pointers point to, in bytes, and the numbers."""
        start = self.numbers.pointer_to(0).address()
        moved = [int(self.cells[k]) - start for k in range(8)]
        return np.array([*moved, *(x.item() for x in self.numbers)], object)


def parameters(text: str) -> list[str]:
    """Return the names of the kernel's memory parameters, without the index and reducers."""
    tree = ast.parse(text)
    kernel = next(s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == "kernel")
    return [a.arg for a in kernel.args.args if a.arg not in ("it", "kh")
            and not a.arg.startswith("red")]


def run(text: str, device: str) -> dict[str, np.ndarray[Any, Any]]:
    """Run a program on the device of a name and return everything it may have written."""
    case, names = case_of(text), load(text)
    queue = sycl.queue(find_device(device))
    given = {name: memory(case, name, names, queue) for name in parameters(text)}
    pointers = {name: value for name, value in given.items() if isinstance(value, Pointers)}
    given |= {name: value.cells for name, value in pointers.items()}
    results, reductions = {}, []
    for k, (dtype, op, identity) in enumerate(case.reductions):
        target = numbers(np.random.default_rng([case.seed, k]), dtype, 1)
        results[f"red{k}"] = target
        rest = () if identity is None else (np.dtype(dtype).type(identity),)
        reductions.append(sycl.reduction(target, *rest, names.get(op) or getattr(sycl, op)))
    launch(queue, case, reductions, names, given)
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            results |= parts(name, value)
    return results | {name: value.found() for name, value in pointers.items()}


def parts(name: str, value: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return arrays of numbers by name: an array, or what the structs in it consist of."""
    found = {}
    for field in value.dtype.names or ():
        found |= parts(f"{name}.{field}", value[field])
    return found or {name: value}


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


def modelled(text: str) -> dict[str, np.ndarray[Any, Any]] | None:
    """Return what a program writes by Python and NumPy alone; None for one without a model."""
    case = case_of(text)
    if not model.possible(case, text):
        return None
    names = load(text)
    given = {name: memory(case, name, names) for name in parameters(text)}
    results, reductions = {}, []
    for k, (dtype, op, _) in enumerate(case.reductions):
        results[f"red{k}"] = numbers(np.random.default_rng([case.seed, k]), dtype, 1)
        reductions.append((results[f"red{k}"], op))
    model.run(case, names, given, reductions)
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            results |= parts(name, value)
    return results


def compare(text: str, device: str = "cpu") -> list[str]:
    """Run a program on the host device and on others, named with commas; return what differs.

    Where there is a model of the program, the host device is compared with it.
    """
    if "# refused: " in text:
        return [x for name in ("host", *device.split(",")) for x in accepted(text, name)]
    first = run(text, "host")
    wanted = modelled(text)
    found = [] if wanted is None else ["by the model " + x for x in differences(wanted, first)]
    for name in device.split(","):
        try:
            found += [f"{name}: {x}" for x in differences(first, run(text, name))]
        except UnsupportedError:
            if not found:
                raise
    return found


def accepted(text: str, device: str) -> list[str]:
    """Return a line if a device takes a program that has to be refused."""
    wanted = text.partition("# refused: ")[2].split()[0]
    try:
        run(text, device)
    except sycl.KernelError as error:
        if any(d.id == wanted for d in error.diagnostics):
            return []
    return [f"{device} does not refuse it ({wanted})"]


def check(text: str) -> None:
    """Assert that a program gives the host's answer."""
    found = compare(text)
    assert not found, "\n".join(found)
