"""``in`` and ``not in`` of a range or of memory: comparisons of numbers, and a loop.

Non-goals: tuples and what is known while compiling (``compare``). Invariant: the answer is that of
Python, which for memory asks element by element and stops at the first one that is equal.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.syntax import counted_loops, generators
from unisycl.frontend.syntax.compare import lower_compare
from unisycl.frontend.syntax.given import given
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.memory import is_array


def _lower(ctx: Context, node: ast.Compare) -> Value:
    """Lower a comparison; those that are no membership of such things are ``compare``'s."""
    if len(node.ops) > 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
        return lower_compare(ctx, node)
    found = _found(ctx, node.left, node.comparators[0], node)
    if found is None:
        return lower_compare(ctx, node)
    return found if isinstance(node.ops[0], ast.In) else coerce.negate(ctx.to_scalar(found, node))


def _found(ctx: Context, x: ast.expr, over: ast.expr, node: ast.Compare) -> Value | None:
    if isinstance(over, ast.Set):  # what linters write for a tuple
        among = ast.copy_location(ast.Tuple(over.elts, ast.Load()), over)
        return lower_compare(ctx, ast.copy_location(
            ast.Compare(x, [ast.In()], [among]), node))
    if counted_loops.is_range(ctx, over):
        return counted_loops.among(ctx, ctx.value(x), over, node)
    if not isinstance(over, ast.Name | ast.Attribute | ast.Subscript):
        return None
    with ctx.into():
        memory = ctx.value(over)
    if not is_array(memory):
        return None
    value, where = ctx.operands(x, over)
    held = ctx.hold_value(value)
    loop = generators.of_values(over)
    element = loop.elt
    test = ast.copy_location(ast.Compare(element, [ast.Eq()], [given(held, x)]), node)
    made = ast.copy_location(ast.GeneratorExp(test, [ast.comprehension(
        loop.generators[0].target, given(where, over), [], 0)]), node)
    return generators.reduced(ctx, "any", made, [], node)


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {ast.Compare: _lower}

__all__ = ["LOWER"]
