"""Expressions of the IR as a user would write them: without conversions, by the user's names.

Non-goals: text that can be read back (``ir.text``). Invariant: none; this is for people.
"""

from __future__ import annotations

from collections.abc import Mapping

from unisycl.base.spans import Span
from unisycl.ir import nodes as n

_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%",
            "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>",
            "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
Meanings = Mapping[n.Local, n.Expr]


def said(x: n.Expr, given: Meanings | None = None) -> str:
    """Return an expression as a user would write it; ``given``: what locals stand for."""
    match x:
        case n.Const():
            return repr(x.value)
        case n.Read():
            meaning = (given or {}).get(x.local)
            return x.local.name if meaning is None else said(meaning, given)
        case n.ParamRead():
            return x.param.name
        case n.Query():
            return f"{x.name}[{x.dim}]"
        case n.Cast() | n.Narrow() | n.Bitcast():
            return said(x.x, given)
        case n.Unary():
            return f"{'not ' if x.op == 'not' else '-'}{said(x.x, given)}"
        case n.Binary() | n.Compare():
            return f"({said(x.a, given)} {_SYMBOLS[x.op]} {said(x.b, given)})"
        case n.Select():
            return f"({said(x.a, given)} if {said(x.cond, given)} else {said(x.b, given)})"
        case n.Call():
            return f"{x.builtin.name}({', '.join(said(a, given) for a in x.args)})"
        case n.Load():
            return place(x.place, given)
        case n.Extent():
            return f"{getattr(x.base, 'name', '')}.shape[{x.dim}]"
        case n.Pitch():
            return f"(elements in a row of {getattr(x.base, 'name', '')})"
    return type(x).__name__


def place(where: n.Place, given: Meanings | None = None) -> str:
    """Return an element of memory as the source has it, or else as a user would write it."""
    text = source(where.span)
    return text or f"{where.base.name}[{', '.join(said(x, given) for x in where.index)}]"


def source(span: Span | None) -> str:
    """Return what stands at a place in the source, if that is within one line."""
    if span is None or span.line != span.end_line:
        return ""
    return span.file.line(span.line)[span.column:span.end_column].strip()


def outer(text: str) -> str:
    """Return a text without the brackets around all of it."""
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and k < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text
