"""Loops over ``reversed`` and ``enumerate`` of ranges that are known at run time only.

They are loops over the turns of the range, whose number is computed first. Non-goals: plain ranges
(``loops``), and what is known while compiling, which is repeated. Invariant: bounds are evaluated
once, in Python's order.
"""

from __future__ import annotations

import ast

from unisycl.frontend.context import Context
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.values.kinds import Constant

_LOOP = "COUNT = max(0, -((FIRST - STOP) // STEP))\nfor TURN in RANGE(COUNT):\n {}"
_FORMS = {
    "reversed": "TARGET = FIRST + (COUNT - 1 - TURN) * STEP",
    "enumerate": "TARGET = (BEGIN + TURN, FIRST + TURN * STEP)",
}


def rewritten(ctx: Context, node: ast.For) -> list[ast.stmt] | None:
    """Return the statements that such a loop means; None for any other loop."""
    call = node.iter
    if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Call):
        return None
    form, inner = _builtin(ctx, call), call.args[0]
    begin = [*call.args[1:], *(k.value for k in call.keywords if k.arg == "start")]
    if form not in _FORMS or _builtin(ctx, inner) != "range" or inner.keywords \
            or not 1 <= len(inner.args) <= 3 or len(begin) > (form == "enumerate") \
            or len(begin) != len(call.args) - 1 + len(call.keywords):
        return None
    bounds = inner.args if len(inner.args) > 1 else [ast.Constant(0), *inner.args]
    step = bounds[2] if len(bounds) > 2 else ast.Constant(1)
    parts = {"FIRST": bounds[0], "STOP": bounds[1], "STEP": step,
             "BEGIN": begin[0] if begin else ast.Constant(0)}
    place = f"{node.lineno}:{node.col_offset}"
    filler = _Filler({"TARGET": node.target, "RANGE": inner.func}, place)
    made: list[ast.stmt] = [
        ast.Assign([ast.Name(filler.own(name), ast.Store())], value)
        for name, value in parts.items()]
    text = _LOOP.format(_FORMS[form])
    count, loop = (filler.visit(s) for s in ast.parse(text).body)
    assert isinstance(count, ast.Assign)
    assert isinstance(count.value, ast.Call)
    count.value.func = given(Constant(max), call)
    assert isinstance(loop, ast.For)
    loop.body = [*loop.body, *node.body]
    loop.orelse = node.orelse
    return [placed(s, call) for s in (*made, count, loop)]


def _builtin(ctx: Context, call: ast.Call) -> str:
    """Return the name of the builtin a call is of; '' of any other."""
    if not isinstance(call.func, ast.Name) or call.func.id not in ("range", *_FORMS):
        return ""
    callee = ctx.value(call.func)
    known = {range: "range", reversed: "reversed", enumerate: "enumerate"}
    return known.get(callee.object, "") if isinstance(callee, Constant) else ""


class _Filler(ast.NodeTransformer):
    """Puts the user's parts, and names of no user's, into a form."""

    def __init__(self, parts: dict[str, ast.expr], place: str) -> None:
        self.parts = parts
        self.place = place

    def own(self, name: str) -> str:
        """Return the name that stands for a part of the form."""
        return f"{name.lower()} of the range at {self.place}"

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.parts.get(node.id) or ast.Name(self.own(node.id), node.ctx)


__all__ = ["rewritten"]
