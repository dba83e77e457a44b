"""Loop controls and memory attributes: noted, and what they are about goes on as it was.

Non-goals: what they mean (``lang.library.hardware``). Invariant: a kernel computes the same without
them.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.memory import Memory
from unisycl.ir import nodes as n
from unisycl.lang.library.hardware import CONTROLS, LEAST, fpga_mem

Controls: TypeAlias = tuple[tuple[str, int], ...]


def controlled(ctx: Context, node: ast.expr) -> tuple[ast.expr, Controls]:
    """Return what a loop goes over without the controls around it, and those."""
    found: list[tuple[str, int]] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
        callee = ctx.value(node.func)
        if not isinstance(callee, Constant) or not node.args or not any(
                callee.object is c for c in CONTROLS):
            break
        name = callee.object.__name__
        given = [*node.args[1:], *(k.value for k in node.keywords)]
        numbers = [x for x in (_number(ctx, name, one) for one in given) if x is not None]
        if len(numbers) > 1 or (name != "ivdep" and len(numbers) < len(given)):
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="a loop and one number",
                             found=1 + len(given))
        found.append((name, numbers[0] if numbers else 0))
        node = node.args[0]
    return node, tuple(found)


def _number(ctx: Context, name: str, node: ast.expr) -> int | None:
    """Return a control's number; None where ``ivdep`` names memory."""
    value = ctx.value(node)
    if isinstance(value, Memory) and name == "ivdep":
        return None
    known = ctx.constant(value)
    least = LEAST.get(name, 0)
    if known is None or type(known.value) is not int or known.value < least:
        raise ctx.refuse("K046", node, what=f"what '{name}' is given",
                         help=f"write a whole number from {least} on")
    return int(known.value)


@form(fpga_mem)
def lower_fpga_mem(ctx: Context, node: ast.Call) -> Value:
    """Return the memory itself, and note what was asked of it."""
    memory, *words = ctx.operands(*node.args)
    if not isinstance(memory, Memory):
        raise ctx.refuse("K034", node, what="'fpga_mem'", found="something else",
                         expected="memory of the kernel and words")
    text = [w.object for w in words if isinstance(w, Constant) and isinstance(w.object, str)]
    base = memory.base
    if isinstance(base, n.Array | n.Param):
        ctx.needs.notes.append((base.name, " ".join(text)))
    return memory
