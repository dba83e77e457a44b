"""What an execution of an operation takes: tensors by the numbers of arguments.

Non-goals: memory. Invariant: what a primitive reads and writes follows from the operation and its
attributes alone, whoever computes it.
"""

from __future__ import annotations

import math
from typing import Any

from unisycl.oneapi.dnn import descriptors, names
from unisycl.oneapi.dnn.descriptors import desc
from unisycl.oneapi.dnn.names import algorithm, arg, data_type, prop_kind, scratchpad_mode
from unisycl.oneapi.dnn.names import normalization_flags as F
from unisycl.oneapi.dnn.operations import Op


def arguments_of(op: Op) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the tensors that an execution reads, and of those it writes."""
    ins = [f for name in op.row.ins.split() for f in _named(op, name, writes=False)]
    outs = [f for name in op.row.outs.split() for f in _named(op, name, writes=True)]
    return tuple(ins), tuple(outs)


def _named(op: Op, name: str, *, writes: bool) -> list[str]:
    """Return the tensors of a field of an execution: none where there is none."""
    if name == "srcs":
        return [f"srcs{k}" for k in range(len(op["srcs"]))]
    if name in op.row.names:
        return [] if op[name] is None else [name]
    return [name] if _asked(op, name, writes=writes) else []


def _asked(op: Op, name: str, *, writes: bool) -> bool:
    """Say whether an operation has a tensor that its descriptor is not told."""
    back, prop = bool(op.row.forward), op["prop"]
    training = prop is prop_kind.forward_training
    if op["src_layer"] is not None:
        return back or training  # the workspace
    if name == "workspace" and "normalization" not in op.name:
        return (back or training) and op["alg"] in (
            algorithm.pooling_max, algorithm.lrn_across_channels, algorithm.lrn_within_channel)
    flags = op["flags"] or F.none
    fused = bool(flags & (F.fuse_norm_relu | F.fuse_norm_add_relu))
    if name in ("mean", "variance"):
        given = back or bool(flags & F.use_global_stats)
        return given if not writes else training and not given
    if name == "workspace":
        return fused and (back or training)
    if name in ("src1", "diff_src1"):
        return bool(flags & F.fuse_norm_add_relu)
    wanted = bool(flags & (F.use_scale if "scale" in name else F.use_shift))
    return wanted and (not name.startswith("diff") or prop is prop_kind.backward)


def tensor(op: Op, name: str) -> desc:
    """Return the descriptor of a tensor as it was asked for, or as rows where nothing is said."""
    if name.startswith("srcs"):
        found: desc = op["srcs"][int(name[4:])]
        return found
    if name in op.row.names:
        mine: desc = op[name]
        return mine
    if op["src_layer"] is not None:
        return descriptors.dense((workspace_size(op),), data_type.f32)
    source: desc = op["src"] or op["diff_src"]
    if name in ("src1", "diff_src1"):
        return descriptors.dense(source.dims, source.get_data_type())
    if name == "workspace":
        if "normalization" in op.name:
            return descriptors.dense(source.dims, data_type.u8)
        return descriptors.dense((op["dst"] or op["diff_dst"]).dims, data_type.s32)
    if name not in ("mean", "variance"):
        channels = source.dims[-1 if op.name.startswith("layer") else 1]
        return descriptors.dense((channels,), data_type.f32)
    if op.name.startswith("layer"):
        return op["stat"] or descriptors.dense(source.dims[:-1], data_type.f32)
    if op.name.startswith("group"):
        return descriptors.dense((source.dims[0], op["group"]), data_type.f32)
    return descriptors.dense((source.dims[1],), data_type.f32)


def workspace_size(op: Op) -> int:
    """Return how many floats our forward networks hand to backward: gates, states and cells."""
    steps, batch, _ = op["src_layer"].dims
    layers, ways, _, gates, units = op["weights_layer"].dims
    return int(layers * ways * batch * units * (steps * gates + 2 * (steps + 1)))


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
