"""What a routine of LAPACK was given, one problem or a batch of them.

Non-goals: who computes. Invariant: everything is checked before anything runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas.arguments import LETTERS, REAL, TYPES
from unisycl.oneapi.mkl.blas.table import Memory, Option, Row, Size
from unisycl.oneapi.mkl.memories import Held


@dataclass
class Given:
    """One call after all checks: ``values`` in LAPACKE's order, None where memory belongs.

    ``strides`` are the bytes from one problem of a batch to the next, for each memory.
    """

    letter: str
    values: list[Any]
    held: list[Held]
    strides: list[int]
    batch: int
    cost: float
    named: dict[str, Any]


def names_of(row: Row, *, batch: bool) -> list[str]:
    """Return the names of a routine's arguments, in oneMKL's order, without the scratchpad."""
    found: list[str] = []
    for k, argument in enumerate(row.arguments):
        found.append(argument.name.split("=")[0])
        if batch and isinstance(argument, Memory) and not _leads(row, k + 1):
            found.append(f"stride_{argument.name}")
        elif batch and isinstance(argument, Size) and "=" in argument.name:
            found.append(f"stride_{found[-1][2:]}")
    return [*found, "batch_size"] if batch else found


def _leads(row: Row, k: int) -> bool:
    return k < len(row.arguments) and "=" in row.arguments[k].name


class Reader:
    """Reads the arguments of one call."""

    def __init__(self, name: str, row: Row, given: dict[str, Any], *, batch: bool) -> None:
        self.name, self.row = name, row
        self.given, self.widths = memories.with_parts(name, given, {
            a.name: row.arguments[k + 1].name.split("=")[0] for k, a in enumerate(row.arguments)
            if isinstance(a, Memory) and "*" in a.count}, rows_lie=False)
        self.named: dict[str, Any] = {}
        self.batch = names.whole(name, "batch_size", given["batch_size"]) if batch else 1
        self.is_batch = batch
        self.letter = self._letter()

    def refuse(self, text: str) -> Any:
        """Raise the error of this routine."""
        raise names.invalid_argument(f"{self.name}: {text}")

    def _letter(self) -> str:
        kind = memories.flat(self.name, "a", self.given["a"]).dtype
        letter = LETTERS.get(kind, "")
        if not letter or letter not in self.row.types:
            allowed = ", ".join(str(TYPES[t]) for t in self.row.types)
            self.refuse(f"a has elements of {kind}; the routine is for {allowed}")
        return letter

    def read(self) -> Given:
        """Return everything, checked."""
        for argument in self.row.arguments:  # sizes first: memory depends on them
            if isinstance(argument, Option):
                self._option(argument)
            elif isinstance(argument, Size) and "=" not in argument.name:
                self.named[argument.name] = names.whole(self.name, argument.name,
                                                  self.given[argument.name])
        self._check_sizes()
        values: list[Any] = []
        held: list[Held] = []
        strides: list[int] = []
        for k, argument in enumerate(self.row.arguments):
            if isinstance(argument, Option):
                values.append(self.named[argument.name].letter.encode())
            elif isinstance(argument, Memory):
                one, stride = self._memory(argument, k)
                values.append(0 if one is None else None)
                if one is not None:
                    held.append(one)
                    strides.append(stride)
            else:
                values.append(self.named[argument.name.split("=")[0]])
        memories.check_apart(self.name, held)
        cost = self.batch * math.prod(float(self.named.get(x, 1))
                                      for x in self.row.cost.split("*"))
        return Given(self.letter, values, held, strides, self.batch, cost, self.named)

    def _option(self, argument: Option) -> None:
        value = self.given[argument.name]
        if not isinstance(value, names.Option) or value.kind != argument.kind:
            known = ", ".join(sorted({repr(v) for v in vars(names.KINDS[argument.kind]).values()
                                      if isinstance(v, names.Option)}))
            self.refuse(f"{argument.name} must be one of {known}, got {value!r}")
        if argument.name == "trans" and self.row.name in ("ormqr", "gels") and (
                value.letter == ("C" if self.letter in "sd" else "T")):
            self.refuse(f"trans must not be {value!r} for elements of {TYPES[self.letter]}")
        if argument.name == "trans" and self.row.name == "unmqr" and value.letter == "T":
            self.refuse("trans must not be transpose.trans")
        self.named[argument.name] = value

    def _check_sizes(self) -> None:
        m, n, k = (self.named.get(x) for x in "mnk")
        if self.row.name in ("orgqr", "ungqr") and not (
                isinstance(m, int) and isinstance(n, int) and isinstance(k, int) and k <= n <= m):
            self.refuse(f"k must be at most n, and n at most m; got m={m}, n={n}, k={k}")
        if self.row.name in ("ormqr", "unmqr") and k is not None and k > self._extent("side"):
            self.refuse(f"k is {k}; it must be at most {self._extent('side')}")
        if "itype" in self.named and self.named["itype"] not in (1, 2, 3):
            self.refuse(f"itype must be 1, 2 or 3, got {self.named['itype']}")
        if self.named.get("jobu") is names.jobsvd.vectorsina and (
                self.named.get("jobvt") is names.jobsvd.vectorsina):
            self.refuse("jobu and jobvt cannot both be jobsvd.vectorsina")

    def _extent(self, text: str) -> int:
        m, n = self.named.get("m", 0), self.named["n"]
        if text == "side":
            return int(m if self.named["left_right"] is names.side.left else n)
        if text in ("jobu", "jobvt"):
            side = m if text == "jobu" else n
            found = {"A": side, "S": min(m, n)}
            return int(found.get(self.named[text].letter, 0))
        known = {"min": min(m, n), "max": max(m, n)}
        return int(known[text] if text in known else self.named[text])

    def _memory(self, argument: Memory, k: int) -> tuple[Held | None, int]:
        kinds = {"t": TYPES[self.letter], "r": REAL[self.letter]}
        kind = kinds.get(argument.type) or np.dtype(argument.type)
        rows, _, columns = argument.count.partition("*")
        high = self._extent(rows)
        need = high
        if columns:
            leading = self.row.arguments[k + 1].name.split("=")[0]
            ld = names.whole(self.name, leading, self.given[leading])
            wide = self._extent(columns)
            if ld < max(1, high if wide else 1):
                self.refuse(f"{leading} is {ld}; {argument.name} needs at least {max(1, high)} "
                            "(its rows)")
            memories.check_width(self.name, argument.name, high if wide else 0, self.widths)
            self.named[leading] = ld
            need = (wide - 1) * ld + high if high and wide else 0
        stride = 0
        if self.is_batch:
            stride = names.whole(self.name, f"stride_{argument.name}",
                           self.given[f"stride_{argument.name}"])
            if stride < need and self.batch > 1 and argument.writes:
                self.refuse(f"stride_{argument.name} is {stride}; problems have {need} elements")
            need = (self.batch - 1) * stride + need if self.batch else 0
        given = self.given[argument.name]
        if given is None and not need:
            return None, 0
        return memories.held(self.name, argument.name, given, kind, need,
                             writes=argument.writes), stride * kind.itemsize
