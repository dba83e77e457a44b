"""The state of printing one kernel: names, helper functions, arguments, lines.

Non-goals: what nodes mean in C (``expressions``, ``statements``, ``kernel``). Invariant: a helper
function stands once, before its first use; an argument of the kernel exists only if it is used.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from unisycl.backends.cfamily.arithmetic import HELPERS
from unisycl.backends.cfamily.dialect import Dialect, Head
from unisycl.backends.cfamily.literals import literal
from unisycl.backends.cfamily.loops_left import LoopsLeft
from unisycl.backends.cfamily.names import Names
from unisycl.backends.cfamily.shared_elements import SharedElements
from unisycl.backends.cfamily.signs import Signs, meet
from unisycl.backends.reports import Site
from unisycl.base.dtypes import DTYPES, DType
from unisycl.base.enums import address_space
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Struct

PRIMARY, UNARY, PRODUCT, SUM, RELATION, EQUAL, BITS, TERNARY = range(8, 0, -1)
"""How tightly the outermost operator of a text binds."""
_HELPER = re.compile(r"\{helper:(\w+)\}")
_PLACES = {"offset": "view", "target_at": "target"}
"""Arguments that say where in its memory object another one begins."""


class Text(NamedTuple):
    """An expression in C and how tightly its outermost operator binds."""

    c: str
    level: int = PRIMARY

    def at(self, level: int) -> str:
        """Return the text for a place that needs operators of at least this level."""
        return self.c if self.level >= level else f"({self.c})"


class Argument(NamedTuple):
    """One argument of the C kernel: where a launch finds its value.

    ``kind``: view, offset, extent, pitch, small extent, small pitch (of 32 bits), scalar, record,
    local (each of parameter ``number``);
    last (the end of the ids), range, groups, start (their beginning), each in dimension ``dim``;
    partials, flags, target, target_at, keep (each of reducer ``number``); count, counter, report.
    """

    kind: str
    number: int = 0
    dim: int = 0


def _turned(kernel: n.Kernel) -> frozenset[n.Local]:
    """Return the locals that loops assign."""
    return frozenset(local for s in visit.statements(kernel.body)
                     if isinstance(s, n.For | n.While) for local in visit.assigned((s,)))


def _computed(kernel: n.Kernel) -> frozenset[n.Local]:
    """Return the locals that one statement gives what is no other local's value."""
    given = Counter(x for s in visit.statements(kernel.body) for x in visit.targets(s))
    return frozenset(
        s.local for s in visit.statements(kernel.body) if isinstance(s, n.Assign)
        and given[s.local] == 1 and isinstance(s.value, n.Binary | n.Call | n.Load))


class Printer:
    """Prints one kernel; used once."""

    def __init__(self, kernel: n.Kernel, dialect: Dialect, exact: frozenset[int] = frozenset(),
                 ) -> None:
        self.kernel = kernel
        self.d = dialect
        self.exact = exact
        self.turned = _turned(kernel) if dialect.hides_turns else frozenset()
        self.computed = _computed(kernel) if dialect.hides_turns else frozenset()
        self.left = LoopsLeft(kernel, asked=dialect.hides_departures)
        self.signs = Signs(kernel) if dialect.hides_negations and meet(kernel) else None
        self.shared = SharedElements(kernel) if dialect.read_anew else None
        self.names = Names(dialect.reserved)
        self.arguments: dict[Argument, tuple[str, str]] = {}
        self.records: dict[Struct | tuple[Struct, int], str] = {}
        self.defined: dict[str, str] = {}
        self.sites: list[Site] = []
        self.lines: list[str] = []
        self.top: list[str] = []
        self.depth = 1
        self.scopes: dict[int, str] = {}
        self.at_group_scope = False
        self.parted: frozenset[int] = frozenset()  # meetings that parts of sub-groups come to
        self.left_apart: frozenset[int] = frozenset()  # loops that must stay one, by id
        self.members = ""  # who of a sub-group takes part in the statement at hand
        self.extent: tuple[str, ...] = ()
        self.body = kernel.body  # what is printed
        self.multiples: dict[n.Local, int] | None = None  # what its variables are multiples of
        self.query: Callable[[str, int], Text] = lambda name, dim: Text("0")
        self.local_shapes: dict[int, tuple[int, ...]] = {}
        self.same: dict[int, int] = {}  # views whose pitches are those of another one
        self.distinct: frozenset[int] = frozenset()  # views that overlap no others
        self.constant: frozenset[int] = frozenset()  # those of them that are never stored to
        self.small = False  # extents and pitches that positions.bounded tells of are ints
        self.small_ids: set[tuple[str, int]] = set()  # ids that are ints
        self._loose: dict[DType, str] = {}
        self._helpers: dict[tuple[str, str], str] = {}
        self._texts: list[str] = []
        self._tables: dict[str, str] = {}
        self._where: tuple[str, int] = ("", 0)

    # ---- text
    def line(self, text: str) -> None:
        """Add a line of code."""
        self.lines.append("    " * self.depth + text)

    def raw(self, text: str) -> None:
        """Add a line that starts in the first column."""
        self.lines.append(text)

    def mark(self, span: Span | None) -> None:
        """Tell the compiler which line of the user's source comes next, where that changes."""
        if span is None:
            return
        place = (span.file.name, span.line)
        if place == self._where:
            return
        file = f" {json.dumps(place[0])}" if place[0] != self._where[0] else ""
        self.raw(f"#line {place[1]}{file}")
        self._where = place

    # ---- types and functions
    def type(self, dtype: DType) -> str:
        """Return the C type of a value."""
        if dtype.name in self.d.definitions:
            self.defined[dtype.name] = self.d.definitions[dtype.name]
        return self.d.types[dtype.name]

    def literal(self, value: bool | int | float, dtype: DType) -> str:
        """Return a constant, whose type may have to be defined before it."""
        self.type(dtype)
        return literal(value, dtype, self.d)

    def spelt(self, query: str, d: int) -> str:
        """Return a query in the dialect; ``d``: its own number of the dimension."""
        return self.d.queries[query].format(d=d, axis="xyz"[d])

    def unsigned(self, dtype: DType) -> DType:
        """Return the unsigned integer of the same width."""
        return DTYPES[f"uint{max(8, dtype.bits)}"]

    def storage(self, dtype: DType) -> str:
        """Return the C type of an element in memory."""
        return self.type(DTYPES["uint8"] if dtype.kind == "b" else dtype)

    def loose(self, dtype: DType) -> str:
        """Return the name of a struct of one ``value`` that may lie at any address."""
        known = self._loose.get(dtype)
        if known is None:
            type = self.storage(dtype)
            known = self._loose[dtype] = self.names.fresh(f"loose_{type}")
            self._texts.insert(0, f"typedef struct {self.d.packed.format(align=1)} "
                                  f"{{ {type} value; }} {known};")
        return known

    def table(self, type: str, rest: str) -> str:
        """Return the name of a constant array, declaring it before the kernel; equal ones once."""
        known = self._tables.get(type + rest)
        if known is None:
            known = self._tables[type + rest] = self.names.fresh("table")
            self._texts.append(f"{type} {known}{rest}")
        return known

    def helper(self, name: str, dtype: DType) -> str:
        """Return the name of a helper function for a type, adding it if need be."""
        key = (name, dtype.name)
        known = self._helpers.get(key)
        if known is not None:
            return known
        type = self.type(dtype)
        known = self._helpers[key] = self.names.fresh(f"{name}_{type}")
        found = self.d.helper(name) or HELPERS[name]
        for need in found.needs:
            self.helper(need, dtype)
        body = _HELPER.sub(lambda m: self.helper(m[1], dtype), found.text)
        body = body.format(name=known, T=type, U=self.type(self.unsigned(dtype)), bits=dtype.bits,
                           last=dtype.bits - 1, exact=self.d.exact, **self.d.types)
        self._texts.append(self.d.function.format(text=body))
        return known

    def call(self, template: str, args: Sequence[Text], dtype: DType, **more: str) -> Text:
        """Fill a template with operands, each in parentheses where it needs them."""
        filled = _HELPER.sub(lambda m: self.helper(m[1], dtype), template)
        whole = re.fullmatch(r"[\w.]+\(.*\)", filled) is not None
        tight = [a.c if whole else a.at(PRIMARY) for a in args]
        text = filled.format(*tight, T=self.type(dtype), U=self.type(self.unsigned(dtype)),
                             members=self.members, **more)
        return Text(text, PRIMARY if whole else TERNARY)

    def argument(self, kind: str, type: str, wish: str, index: int = 0, dim: int = 0) -> str:
        """Return the name of an argument of the kernel, adding it if need be."""
        key = Argument(kind, index, dim)
        known = self.arguments.get(key)
        if known is None:
            known = self.arguments[key] = (type, self.names.fresh(wish))
        return known[1]

    def local_memory(self, type: str, name: str, extents: str = "") -> None:
        """Declare local memory of the group, unless it is declared already."""
        line = f"{self.d.memories[address_space.local_space]} {type} {name}{extents};"
        if line not in self.top:
            self.top.append(line)
            if self.d.keep_local:
                self.top.append(self.d.keep_local.format(f"&{name}"))

    def restart(self) -> None:
        """Begin another kernel of the same text, with arguments and lines of its own."""
        self.arguments, self.lines, self.top = {}, [], []
        self.depth, self._where = 1, ("", 0)

    def definition(self, name: str, local: str, sub_group: int,
                   traits: tuple[tuple[str, tuple[Any, ...]], ...] = ()) -> list[str]:
        """Return the kernel printed since the start or restart, from head to closing brace."""
        params = ", ".join(f"{type}{'' if type.endswith('*') else ' '}{known}"
                           for type, known in self.arguments.values())
        places = [f"{self.arguments[key._replace(kind=_PLACES[key.kind])][1]} += {known};"
                  for key, (_, known) in self.arguments.items() if key.kind in _PLACES]
        atomics = any("atomic" in line for line in self.lines)
        head = Head(name, params or "void", local, sub_group, atomics, traits,
                    bool(self.kernel.reducers))
        return [self.d.kernel(head), "{",
                *(f"    {line}" for line in (*self.top, *places)), *self.lines, "}"]

    def preamble(self) -> list[str]:
        """Return what stands before the kernel: the dialect's lines, records, functions."""
        return [*self.d.preamble, *self.defined.values(), *self.records.values(), *self._texts]
