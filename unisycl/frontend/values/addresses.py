"""What all pointers have, those whose memory is known as those read from memory.

Non-goals: either kind (``memory``, ``stored_pointers``). Invariant: what is followed lies in
``HEAP``, and the launch is told of all allocations.
"""

from __future__ import annotations

import ast

from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, Struct
from unisycl.lang.memory.stored_pointers import ALLOCATIONS

METHODS = frozenset(("get", "get_raw", "get_decorated", "prefetch"))
NAMES = METHODS | {"address_space", "dtype", "is_decorated"}
PATH = (("object", ALLOCATIONS),)


def know(ctx: Lowering, node: ast.AST) -> None:
    """Have the launch told of all allocations: it checks, follows, and keeps them by that."""
    ctx.capture(PATH, ALLOCATIONS, n.ALLOCATIONS, node)


def is_older_get(name: str, elem: Scalar | Struct) -> bool:
    """Say whether a name is SYCL 1.2's of ``get``, and not a member of what is pointed to."""
    return name == "pointer" and not (isinstance(elem, Struct) and elem.field(name) is not None)
