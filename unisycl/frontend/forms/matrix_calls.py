"""What a device's hardware for matrices does, as calls of functions that its backend prints.

Non-goals: what is done where there is none (``lang.library.joint_matrices``). Invariant: only a
kernel whose device says that it has such hardware makes one.
"""

from __future__ import annotations

import ast

from unisycl.base.enums import address_space
from unisycl.base.matrices import layout, use
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.hardware_calls import call, start
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.matrices import Matrix
from unisycl.frontend.values.memory import Memory
from unisycl.ir import nodes as n


def mad(ctx: Lowering, d: Matrix, a: Matrix, b: Matrix, c: Matrix, node: ast.AST) -> Value:
    """Multiply: the name says types and shape, as ``matrix_mad_bf16_bf16_fp32_fp32_16_16_16``."""
    ctx.converge(node, "joint_matrix_mad")
    kinds = "_".join(x.kind.name for x in (a, b, c, d))
    shape = f"{a.arrangement.rows}_{b.arrangement.cols}_{a.arrangement.cols}"
    turned = "_turned" if c.arrangement.turned else ""
    call(ctx, f"matrix_mad_{kinds}_{shape}{turned}",
         tuple(start(ctx, x.cells, node) for x in (d, a, b, c)), (), node)
    return Nothing()


def moves(ctx: Lowering, m: Matrix, where: Memory) -> bool:
    """Say whether the hardware's own functions load or store a matrix."""
    return m.arrangement.native and where.view.space in (
        address_space.global_space, address_space.local_space)


def move(ctx: Lowering, name: str, m: Matrix, where: Memory, stride: n.Expr, node: ast.AST, *,
         order: layout) -> Value:
    """Load or store: ``matrix_load_bf16_a_16_16_row_local``."""
    ctx.converge(node, name)
    verb = name.rpartition("_")[2]
    shape = f"{m.arrangement.rows}_{m.arrangement.cols}"
    role = "c" if m.use is use.accumulator else m.use.name
    turned = "_turned" if m.arrangement.turned and role == "c" else ""
    space = where.view.space.name.partition("_")[0]
    call(ctx, f"matrix_{verb}_{m.kind.name}_{role}_{shape}_{order.name.split('_')[0]}_{space}"
         f"{turned}", (start(ctx, m.cells, node), start(ctx, where, node)), (stride,), node)
    return Nothing()
