"""Copies of work-groups to local memory by hardware, beside the work-items.

Non-goals: tiles (``forms.tiles``); copies the other way, which the work-items make. Invariant: a
kernel that copies by hardware has asked its device for it; one that checks indices does not.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unisycl.base import architecture
from unisycl.base.enums import address_space
from unisycl.base.matrices import unit_of
from unisycl.frontend.values.hardware_calls import call, start
from unisycl.frontend.values.kind import Lowering
from unisycl.frontend.values.memory import Memory
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar


def by_hardware(ctx: Lowering) -> bool:
    """Say whether the device of a kernel copies beside its work-items."""
    found = unit_of(ctx.target)
    ctx.needs.asked[found] = architecture.fits(ctx.target, found)
    return found.copies and ctx.shape.kind == "nd_range" and not ctx.shape.checks


def suits(ctx: Lowering, dest: Memory, src: Memory) -> bool:
    """Say whether hardware copies from one memory to another."""
    return (dest.view.space is address_space.local_space
            and src.view.space is address_space.global_space
            and isinstance(dest.view.elem, Scalar) and not (dest.view.spread or src.view.spread)
            and by_hardware(ctx))


def begin(ctx: Lowering, dest: Memory, src: Memory, numbers: Sequence[n.Expr],
          node: ast.AST) -> None:
    """Begin a copy of so many elements, which lie as far apart as the second number says."""
    assert isinstance(dest.view.elem, Scalar)
    name = f"line_copy_{dest.view.elem.dtype.size}{'_strided' * (len(numbers) > 1)}"
    places = tuple([start(ctx, memory.decayed(ctx), node) for memory in (dest, src)])
    call(ctx, name, places, tuple(numbers), node)


def wait(ctx: Lowering, node: ast.AST) -> None:
    """Wait for all copies that this work-item began."""
    call(ctx, "tile_wait_all", (), (), node)
