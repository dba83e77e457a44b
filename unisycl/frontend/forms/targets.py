"""``device_is`` and ``architecture_is``: constants that depend on the device compiled for.

Non-goals: the questions' meaning (``base.architecture``). Invariant: a kernel that asks is compiled
anew for a device with other answers, and for no device that has the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.base.architecture import architecture, checked, fits
from unisycl.base.enums import aspect, backend
from unisycl.base.errors import UsageError
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.tuples import Several
from unisycl.lang.kernels import target


def _asks(name: str, join: Callable[[list[bool]], bool],
          *kinds: type) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        values = ctx.operands(*node.args)
        values = [x for v in values for x in (v.items if isinstance(v, Several) else (v,))]
        given = tuple(v.object if isinstance(v, Constant) else None for v in values)
        try:
            asked = checked(name, given, kinds)
        except UsageError:
            raise ctx.refuse("K046", node, what=f"what '{name}' asks", help="name a value of "
                             f"{' or '.join(k.__name__ for k in kinds)}") from None
        answers = []
        for one in asked:
            answer = ctx.needs.asked[one] = fits(ctx.target, one)
            answers.append(answer)
        return coerce.weak_scalar(join(answers))
    return lower


form(target.device_is)(_asks("device_is", all, aspect, backend, architecture))
form(target.architecture_is)(_asks("architecture_is", any, architecture))
