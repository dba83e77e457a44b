"""What a primitive is asked to compute: the arguments of its descriptor, read by the table.

Arguments come in the order of oneDNN's C++ classes; engine, attributes and hint are told by their
types, so the order of before 3.0, where the engine comes last, is read as well. Non-goals: whether
sizes fit (``checks``). Invariant: an operation never changes.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from unisycl.oneapi.dnn.attributes import primitive_attr
from unisycl.oneapi.dnn.descriptors import MOST_LEFT, desc, whole_dims
from unisycl.oneapi.dnn.engines import engine
from unisycl.oneapi.dnn.names import (
    algorithm,
    error,
    normalization_flags,
    prop_kind,
    rnn_direction,
    rnn_flags,
)
from unisycl.oneapi.dnn.table import Row, kind_of
from unisycl.oneapi.dnn.tags import format_tag


@dataclass(frozen=True)
class Op:
    """One operation.

    Args:
        row: its kind.
        values: by the names of the fields; None where one was left out.
        attr: its attributes.
        where: the engine.
        hint: of backward operations, what was forward.
    """

    row: Row
    values: dict[str, Any]
    attr: primitive_attr
    where: engine
    hint: Any = field(default=None, compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name)

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self.row.name

    def key(self) -> Any:
        """Return what tells operations apart."""
        said = tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in self.values.items())
        hint = None if self.hint is None else id(self.hint.implementation)
        return self.row.name, said, self.attr.key(), self.where, hint

    def refuse(self, text: str) -> Any:
        """Raise the error of this primitive."""
        raise error(f"{self.name}: {text}")


class operation:
    """An operation without an engine: the descriptors of before 3.0, as ``X.desc(...)``."""

    row: Row

    def __init__(self, *args: Any, **named: Any) -> None:
        self.values = read(self.row, list(args), named)

    def __repr__(self) -> str:
        return f"<{self.row.name}.desc {self.values}>"


_ENUMS: dict[str, Any] = {"prop_kind": prop_kind, "algorithm": algorithm,
                          "direction": rnn_direction}


def _is(kind: str, x: Any) -> bool:
    """Say whether an argument is of a field's type."""
    if kind in _ENUMS:
        return isinstance(x, _ENUMS[kind])
    if kind == "flags":
        return isinstance(x, normalization_flags | rnn_flags)
    if kind == "desc":
        return x is None or isinstance(x, desc)
    if kind == "descs":
        return isinstance(x, Sequence) and len(x) > 0 and all(isinstance(d, desc) for d in x)
    if kind in ("dims", "numbers"):
        return hasattr(x, "__iter__") and not isinstance(x, str) and not _is("descs", x)
    if isinstance(x, bool | enum.Enum):
        return False
    return hasattr(x, "__index__") if kind == "whole" else hasattr(x, "__float__")


def read(row: Row, args: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an operation by name."""
    strange = set(named) - set(row.names)
    if strange:
        raise error(f"{row.name}: it has no '{min(strange)}'; its arguments are "
                    + ", ".join(row.names))
    values: dict[str, Any] = {}
    fields = [f for f in row.names if f not in named]
    while fields:
        kind = kind_of(fields[0])
        run = [f for k, f in enumerate(fields) if all(kind_of(g) == kind for g in fields[:k + 1])]
        count = next((k for k, x in enumerate(args) if not _is(kind, x)), len(args))
        if kind in ("number", "whole") and count > len(run):
            count = len(run)
        _fill(row, run, args[:count], values)
        del args[:min(count, len(run))]
        fields = fields[len(run):]
    if args:
        raise error(f"{row.name}: {args[0]!r} is one argument too many, or in the wrong place; it "
                    f"takes {row.fields} (? may be left out)")
    for name, x in named.items():
        if not _is(kind_of(name), x):
            raise error(f"{row.name}: {name} must be a {kind_of(name)}, got {x!r}")
        values[name] = x
    return _complete(row, {f: _settled(row, f, values) for f in row.names})


def _complete(row: Row, values: dict[str, Any]) -> dict[str, Any]:
    """Give results that were left out the sizes that follow from the sources."""
    if row.name in ("concat", "sum") and values["dst"] is None:
        first = values["srcs"][0]
        dims, axis = list(first.dims), values.get("axis", 0)
        if row.name == "concat" and 0 <= axis < len(dims):
            dims[axis] = sum(s.dims[axis] for s in values["srcs"] if len(s.dims) > axis)
        values["dst"] = desc(dims, first.get_data_type(), format_tag.any)
    if row.name == "resampling_forward" and values["dst"] is None and values["factors"]:
        src = values["src"]
        space = (int(n * f) for n, f in zip(src.dims[2:], values["factors"], strict=False))
        values["dst"] = desc((*src.dims[:2], *space), src.get_data_type(), format_tag.any)
    if row.name.startswith("softmax") and values["alg"] is algorithm.undef:
        values["alg"] = algorithm.softmax_accurate
    return values


def _fill(row: Row, run: list[str], given: list[Any], values: dict[str, Any]) -> None:
    """Give the arguments of one type to the fields of it."""
    taken = list(run)
    behind = [name for name in run if "projection" in name]
    for name in behind + [name for name in run[::-1] if name not in behind]:
        if len(taken) > len(given) and name in row.optional:
            taken.remove(name)
    if len(taken) > len(given):
        raise error(f"{row.name}: {taken[len(given)]} is missing or of another type than "
                    f"{kind_of(taken[0])}; it takes {row.fields} (? may be left out)")
    values.update(zip(taken, given, strict=False))
    if len(given) > len(taken) and kind_of(run[0]) not in ("number", "whole"):
        raise error(f"{row.name}: {len(given)} arguments of type {kind_of(run[0])} for "
                    f"{', '.join(run)}")


_DEFAULTS = {"dst": "src", "diff_dst": "diff_src"}
_OWN_SIZES = ("concat", "sum", "resampling_forward")


def _settled(row: Row, name: str, values: dict[str, Any]) -> Any:
    """Return a field's value in its own form."""
    kind, x = kind_of(name), values.get(name)
    if kind == "desc":
        other = None if row.name in _OWN_SIZES else values.get(_DEFAULTS.get(name, ""))
        if x is None and name in row.optional and other is not None:
            return other
        return None if x is None or x.is_zero() else x
    if x is None:
        return {"number": 0.0, "whole": 0, "flags": normalization_flags.none,
                "algorithm": algorithm.undef}.get(kind)
    if kind == "dims":
        # where the last windows end before the source does, oneDNN takes less than 0 behind
        return whole_dims(f"{row.name}: {name}", x, -MOST_LEFT if name == "padding_r" else 0)
    if kind == "numbers":
        return tuple(float(v) for v in x)
    if kind == "descs":
        return tuple(x)
    return float(x) if kind == "number" else int(x) if kind == "whole" else x
