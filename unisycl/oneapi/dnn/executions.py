"""What an execution of an operation takes: tensors by the numbers of arguments.

Non-goals: memory. Invariant: what a primitive reads and writes follows from the operation and its
attributes alone, whoever computes it.
"""

from __future__ import annotations

import math
from typing import Any

from unisycl.oneapi.dnn import descriptors, names
from unisycl.oneapi.dnn.descriptors import desc
from unisycl.oneapi.dnn.names import arg, data_type, scratchpad_mode
from unisycl.oneapi.dnn.operations import Op


def arguments_of(op: Op) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the tensors that an execution reads, and of those it writes."""
    def there(fields: str) -> tuple[str, ...]:
        return tuple(f for f in fields.split() if op[f] is not None)

    return there(op.row.ins), there(op.row.outs)


def number_of(op: Op, name: str) -> int:
    """Return the argument of an execution that a field is for."""
    if name.startswith("srcs"):
        return arg.MULTIPLE_SRC + int(name[4:])
    if name == "data":
        return arg.DST if op["alg"].name.endswith("_use_dst_for_bwd") else arg.SRC
    return names.number_of(name)


def wanted_of(op: Op, does: Any) -> dict[int, tuple[desc, bool]]:
    """Return the tensors that an execution takes, by number, and whether they are written."""
    found: dict[int, tuple[desc, bool]] = {}
    for fields, writes in ((does.ins, False), (does.outs, True)):
        for name in fields:
            if name in does.found:
                found[number_of(op, name)] = does.found[name], writes
    for number, mask in op.attr.scales.items():
        found[names.FIRST_SCALE + number] = _numbers(found, number, mask, data_type.f32), False
    for number, mask in op.attr.zero_points.items():
        found[names.FIRST_ZERO + number] = _numbers(found, number, mask, data_type.s32), False
    for k, post in enumerate(op.attr.ops):
        if post.kind == "binary":
            assert post.src1 is not None
            found[names.post_op_arg(k) + arg.SRC_1] = descriptors.settled(post.src1), False
        elif post.kind == "prelu":
            found[names.post_op_arg(k) + arg.WEIGHTS] = prelu_weights(found, post.mask), False
    if op.attr.get_scratchpad_mode() is scratchpad_mode.user and not does.scratchpad.is_zero():
        found[int(arg.SCRATCHPAD)] = does.scratchpad, True
    return found


def _numbers(found: dict[int, tuple[desc, bool]], number: int, mask: int,
             kind: data_type) -> desc:
    """Return the descriptor of scales or zero points of an argument."""
    dims = found[number][0].dims
    return descriptors.dense(
        (math.prod(n for k, n in enumerate(dims) if mask >> k & 1),), kind)


def prelu_weights(found: dict[int, tuple[desc, bool]], mask: int) -> desc:
    """Return the descriptor of the weights of a post-op."""
    dims = found[int(arg.DST)][0].dims
    return descriptors.dense(tuple(n if mask >> k & 1 else 1 for k, n in enumerate(dims)),
                             data_type.f32)
