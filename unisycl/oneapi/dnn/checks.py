"""Whether what a primitive is asked for fits together: kinds, sizes, types, attributes.

Non-goals: who computes it. Invariant: a message names the argument and says what would be right.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.oneapi.dnn.descriptors import desc, format_kind
from unisycl.oneapi.dnn.names import (
    algorithm,
    arg,
    normalization_flags,
    number_of,
    prop_kind,
    rnn_direction,
)
from unisycl.oneapi.dnn.operations import Op

_FORWARD = (prop_kind.forward_training, prop_kind.forward_inference)
Check = Callable[[Op], None]


def check(op: Op) -> None:
    """Refuse an operation whose parts do not fit together."""
    for name in op.row.names:
        x = op[name]
        if isinstance(x, desc) and x.get_format_kind() is format_kind.opaque and (
                name.startswith(("src", "dst")) and "iter" not in name and op.name != "reorder"):
            op.refuse(f"{name} has a layout of a library's own; give a tag or any")
    if "prop" in op.row.names:
        _check_prop(op)
    _attributes(op)
    kind = op.name.removesuffix("_forward").removesuffix("_backward_data").removesuffix(
        "_backward_weights").removesuffix("_backward")
    CHECKS.get(kind, _nothing)(op)


def _nothing(op: Op) -> None:
    """Have nothing to refuse."""


def _check_prop(op: Op) -> None:
    if op.row.forward:
        if op["prop"] not in (prop_kind.backward, prop_kind.backward_data):
            op.refuse(f"prop_kind is {op['prop']!r}; backward or backward_data is needed")
    elif op["prop"] not in _FORWARD:
        op.refuse(f"prop_kind is {op['prop']!r}; forward_training or forward_inference is needed")


def _attributes(op: Op) -> None:
    attr = op.attr
    known = {int(number_of(n)) for n in (*op.row.ins.split(), *op.row.outs.split())
             if n not in ("data", "srcs", "diff_src1")}
    for what, said in (("scales", attr.scales), ("zero points", attr.zero_points)):
        for number in said:
            if number not in known and number < arg.MULTIPLE_SRC:
                op.refuse(f"the attributes have {what} of argument {number}, which it does not "
                          "have")
    if op.row.forward and (attr.ops or attr.scales or attr.zero_points):
        op.refuse("backward primitives take no scales, zero points or post-ops")


def same_dims(op: Op, *fields: str) -> None:
    """Refuse tensors of other sizes than the first one's."""
    first = op[fields[0]]
    for name in fields[1:]:
        x = op[name]
        if x is not None and first is not None and x.dims != first.dims:
            op.refuse(f"{name} has sizes {x.dims}; {fields[0]} has {first.dims}, and they must be "
                      "the same")


def algorithms(op: Op, start: str) -> None:
    """Refuse algorithms of other primitives."""
    alg = op["alg"]
    if not alg.name.startswith(start):
        known = [a.name for a in algorithm if a.name.startswith(start)]
        op.refuse(f"algorithm.{alg.name} is none of it; it has " + ", ".join(known))


def _reorder(op: Op) -> None:
    same_dims(op, "src", "dst")
    for name in ("src", "dst"):
        if op[name].get_format_kind() is format_kind.any:
            op.refuse(f"{name} must have a layout, not format_tag.any")


def _eltwise(op: Op) -> None:
    algorithms(op, "eltwise_")
    if op.row.forward:
        same_dims(op, "diff_src", "diff_dst", "data")
    else:
        same_dims(op, "src", "dst")
        if op["alg"].name.endswith("_use_dst_for_bwd") and op["prop"] is \
                prop_kind.forward_inference:
            op.refuse(f"algorithm.{op['alg'].name} is for training")


def window(op: Op, size: int, kernel: int, k: int) -> int:
    """Return the size of a result in dimension ``k`` of space, of windows over a source."""
    strides, dilates = op["strides"], op["dilates"] or (0,) * len(op["strides"])
    reach = (kernel - 1) * (dilates[k] + 1) + 1
    return int((size - reach + op["padding_l"][k] + op["padding_r"][k]) // strides[k] + 1)


def spatial(op: Op, count: int, *fields: str) -> None:
    """Refuse lists of strides and the like that are not of the dimensions of space."""
    for name in fields:
        x = op[name]
        if x is not None and len(x) != count:
            op.refuse(f"{name} has {len(x)} numbers for {count} dimensions of space")
    if any(s < 1 for s in op["strides"]):
        op.refuse(f"strides are {op['strides']}; they must be at least 1")
    if any(p <= -s for p, s in zip(op["padding_r"], op["strides"], strict=True)):
        op.refuse(f"padding_r is {op['padding_r']}: what is left behind the last window is less "
                  f"than a stride, {op['strides']}")


def _sides(op: Op) -> tuple[desc, desc, desc | None, desc]:
    """Return source, weights, bias and result, or their gradients."""
    src = op["src"] or op["diff_src"]
    weights = op["weights"] or op["diff_weights"]
    return src, weights, op["bias"] or op["diff_bias"], op["dst"] or op["diff_dst"]


def _convolution(op: Op) -> None:
    turned = op.name.startswith("deconvolution")
    if turned:
        algorithms(op, "deconvolution_")
    else:
        algorithms(op, "convolution_")
    src, weights, bias, dst = _sides(op)
    n = len(src.dims)
    if n not in (3, 4, 5) or len(dst.dims) != n:
        op.refuse(f"src has {n} and dst {len(dst.dims)} dimensions; both have batch, channels and "
                  "1 to 3 dimensions of space")
    grouped = len(weights.dims) == n + 1
    if len(weights.dims) not in (n, n + 1):
        op.refuse(f"weights have {len(weights.dims)} dimensions; {n} are needed, or {n + 1} with "
                  "groups first")
    spatial(op, n - 2, "strides", "dilates", "padding_l", "padding_r")
    groups = weights.dims[0] if grouped else 1
    outs, ins = weights.dims[grouped] * groups, weights.dims[grouped + 1] * groups
    if src.dims[1] != ins or dst.dims[1] != outs or src.dims[0] != dst.dims[0]:
        op.refuse(f"weights {weights.dims} are for {ins} channels in and {outs} out"
                  + (f" ({groups} groups)" if grouped else "")
                  + f"; src is {src.dims}, dst {dst.dims}")
    if bias is not None and bias.dims != (dst.dims[1],):
        op.refuse(f"bias has sizes {bias.dims}; ({dst.dims[1]},) is needed")
    wide, narrow = (dst, src) if turned else (src, dst)
    for k in range(n - 2):
        right = window(op, wide.dims[2 + k], weights.dims[grouped + 2 + k], k)
        if right != narrow.dims[2 + k]:
            op.refuse(f"dimension {2 + k} of {'src' if turned else 'dst'} is "
                      f"{narrow.dims[2 + k]}; of {wide.dims[2 + k]} with a kernel of "
                      f"{weights.dims[grouped + 2 + k]}, stride {op['strides'][k]}, dilation "
                      f"{(op['dilates'] or [0] * 3)[k]} (0 is none), padding "
                      f"{op['padding_l'][k]} and {op['padding_r'][k]} it is {right}")


def _matmul(op: Op) -> None:
    src, weights, bias, dst = op["src"], op["weights"], op["bias"], op["dst"]
    n = len(dst.dims)
    if n < 2 or len(src.dims) != n or len(weights.dims) != n:
        op.refuse(f"src, weights and dst have {len(src.dims)}, {len(weights.dims)} and {n} "
                  "dimensions; they have the same number, at least 2")
    batch = tuple(max(a, b) if 0 not in (a, b) else 0
                  for a, b in zip(src.dims[:-2], weights.dims[:-2], strict=True))
    fits = all(a in (1, m) and b in (1, m) for a, b, m in
               zip(src.dims[:-2], weights.dims[:-2], batch, strict=True))
    right = (*batch, src.dims[-2], weights.dims[-1])
    if not fits or src.dims[-1] != weights.dims[-2] or dst.dims != right:
        op.refuse(f"src {src.dims} times weights {weights.dims} is not dst {dst.dims}; (m, k) "
                  "times (k, n) is (m, n), and the sizes before are equal, or 1")
    if bias is not None and (len(bias.dims) != n or any(
            b not in (1, d) for b, d in zip(bias.dims, dst.dims, strict=True))):
        op.refuse(f"bias has sizes {bias.dims}; as many dimensions as dst {dst.dims}, each of the "
                  "same size or 1, are needed")


def _inner_product(op: Op) -> None:
    src, weights, bias, dst = _sides(op)
    if src.dims[1:] != weights.dims[1:] or dst.dims != (src.dims[0], weights.dims[0]):
        op.refuse(f"src {src.dims} and weights {weights.dims} do not give dst {dst.dims}; weights "
                  "are (out, ...) with src's sizes behind its first, dst is (batch, out)")
    if bias is not None and bias.dims != (weights.dims[0],):
        op.refuse(f"bias has sizes {bias.dims}; ({weights.dims[0]},) is needed")


def _pooling(op: Op) -> None:
    algorithms(op, "pooling_")
    src, dst = op["src"] or op["diff_src"], op["dst"] or op["diff_dst"]
    n = len(src.dims)
    if n not in (3, 4, 5) or len(dst.dims) != n or src.dims[:2] != dst.dims[:2]:
        op.refuse(f"src {src.dims} and dst {dst.dims} have the same batch and channels, and 1 to 3 "
                  "dimensions of space")
    spatial(op, n - 2, "strides", "kernel", "dilates", "padding_l", "padding_r")
    for k in range(n - 2):
        right = window(op, src.dims[2 + k], op["kernel"][k], k)
        if right != dst.dims[2 + k]:
            op.refuse(f"dimension {2 + k} of dst is {dst.dims[2 + k]}; of {src.dims[2 + k]} with "
                      f"windows of {op['kernel'][k]}, stride {op['strides'][k]}, padding "
                      f"{op['padding_l'][k]} and {op['padding_r'][k]} it is {right}")


def _resampling(op: Op) -> None:
    algorithms(op, "resampling_")
    src, dst = op["src"] or op["diff_src"], op["dst"] or op["diff_dst"]
    if dst is None:
        op.refuse("give dst, or factors, from which its sizes follow")
    if len(src.dims) not in (3, 4, 5) or src.dims[:2] != dst.dims[:2] or (
            len(src.dims) != len(dst.dims)):
        op.refuse(f"src {src.dims} and dst {dst.dims} have the same batch and channels, and 1 to 3 "
                  "dimensions of space")


def _normalization(op: Op) -> None:
    if op.row.forward:
        same_dims(op, "diff_src", "diff_dst", "src")
    else:
        same_dims(op, "src", "dst")
    src, flags = op["src"], op["flags"]
    if len(src.dims) < 2:
        op.refuse(f"src has sizes {src.dims}; at least 2 dimensions are needed")
    fused = normalization_flags.fuse_norm_relu | normalization_flags.fuse_norm_add_relu
    if flags & fused and not op.name.startswith("batch"):
        op.refuse("only batch normalisation has fused functions")
    if op.name.startswith("group"):
        groups = op["group"]
        if groups < 1 or src.dims[1] % groups:
            op.refuse(f"{src.dims[1]} channels are no {groups} groups of the same size")
    stat = op["stat"]
    if stat is not None and stat.dims != src.dims[:-1]:
        op.refuse(f"stat has sizes {stat.dims}; {src.dims[:-1]} are needed")


def _lrn(op: Op) -> None:
    algorithms(op, "lrn_")
    same_dims(op, *(("diff_src", "diff_dst", "src") if op.row.forward else ("src", "dst")))
    if op["local_size"] < 1:
        op.refuse(f"local_size is {op['local_size']}; it is at least 1")
    if len(op["src"].dims) not in (3, 4, 5) and not (
            len(op["src"].dims) == 2 and op["alg"] is algorithm.lrn_across_channels):
        op.refuse(f"src has sizes {op['src'].dims}; batch, channels and 1 to 3 dimensions of space "
                  "are needed")


def axis_of(op: Op, dims: tuple[int, ...]) -> None:
    """Refuse an axis that a tensor does not have."""
    if not 0 <= op["axis"] < len(dims):
        op.refuse(f"axis is {op['axis']}; tensors of sizes {dims} have axes 0 to {len(dims) - 1}")


def _softmax(op: Op) -> None:
    algorithms(op, "softmax_")
    same_dims(op, *(("dst", "diff_src", "diff_dst") if op.row.forward else ("src", "dst")))
    axis_of(op, op["dst"].dims)


def _binary(op: Op) -> None:
    algorithms(op, "binary_")
    a, b, dst = op["src0"], op["src1"], op["dst"]
    fits = len(a.dims) == len(b.dims) == len(dst.dims) and all(
        {x, y} <= {1, z} and z in (x, y)
        for x, y, z in zip(a.dims, b.dims, dst.dims, strict=True))
    if not fits:
        op.refuse(f"src0 {a.dims} and src1 {b.dims} do not give dst {dst.dims}; sizes are the "
                  "same, or 1")


def _several(op: Op) -> None:
    srcs, dst = op["srcs"], op["dst"]
    if op.name == "sum" and len(op["scales"]) != len(srcs):
        op.refuse(f"there are {len(op['scales'])} scales for {len(srcs)} sources")
    axis = -1
    if op.name == "concat":
        axis_of(op, srcs[0].dims)
        axis = op["axis"]
        length = sum(s.dims[axis] for s in srcs if len(s.dims) > axis)
        if len(dst.dims) > axis and dst.dims[axis] != length:
            op.refuse(f"dst has sizes {dst.dims}; along axis {axis} the sources have {length}")
    for k, s in enumerate(srcs):
        if len(s.dims) != len(dst.dims) or any(
                a != b for d, (a, b) in enumerate(zip(s.dims, dst.dims, strict=True))
                if d != axis):
            op.refuse(f"source {k} has sizes {s.dims}, which do not go with dst {dst.dims}")


def _reduction(op: Op) -> None:
    algorithms(op, "reduction_")
    src, dst = op["src"], op["dst"]
    if len(src.dims) != len(dst.dims) or any(
            m not in (1, n) for n, m in zip(src.dims, dst.dims, strict=True)):
        op.refuse(f"dst has sizes {dst.dims}; src's {src.dims}, with 1 for what is reduced, are "
                  "needed")
    if "norm" in op["alg"].name and op["p"] < 1:
        op.refuse(f"p is {op['p']}; it is at least 1")


def _shuffle(op: Op) -> None:
    same_dims(op, *(("diff_src", "diff_dst") if op.row.forward else ("src", "dst")))
    dims = (op["src"] or op["diff_src"]).dims
    axis_of(op, dims)
    if op["group"] < 1 or dims[op["axis"]] % op["group"]:
        op.refuse(f"{dims[op['axis']]} elements are no {op['group']} groups of the same size")


def _prelu(op: Op) -> None:
    if op.row.forward:
        same_dims(op, "src", "diff_src", "diff_dst")
        same_dims(op, "weights", "diff_weights")
    else:
        same_dims(op, "src", "dst")
    src, weights = op["src"], op["weights"]
    if len(src.dims) != len(weights.dims) or any(
            m not in (1, n) for n, m in zip(src.dims, weights.dims, strict=True)):
        op.refuse(f"weights have sizes {weights.dims}; src's {src.dims}, or 1, are needed")


_GATES = {"vanilla_rnn": 1, "lstm": 4, "gru": 3, "lbr_gru": 3}


def _recurrent(op: Op) -> None:
    kind = op.name.removesuffix("_forward").removesuffix("_backward")
    for name in ("src_layer", "weights_layer", "weights_iter", "dst_layer"):
        if op[name] is None or len(op[name].dims) != (5 if "weights" in name else 3):
            op.refuse(f"{name} is needed: layers are (steps, batch, channels), weights (layers, "
                      "directions, channels in, gates, channels out)")
    steps, batch, below = op["src_layer"].dims
    layers, ways, ins, gates, units = op["weights_layer"].dims
    both = op["direction"] in (rnn_direction.bidirectional_concat,
                               rnn_direction.bidirectional_sum)
    if ways != 1 + both or gates != _GATES[kind] or ins != below or (
            layers > 1 and below != units):
        op.refuse(f"weights_layer has sizes {op['weights_layer'].dims}; {1 + both} directions, "
                  f"{below} channels in and {_GATES[kind]} gates are needed"
                  + (", and as many channels out as in" if layers > 1 else ""))
    joined = op["direction"] is rnn_direction.bidirectional_concat
    state = layers, ways, batch, units
    right = {"weights_iter": (layers, ways, units, gates, units),
             "bias": (layers, ways, gates + (kind == "lbr_gru"), units),
             "dst_layer": (steps, batch, units * (1 + joined)), "src_layer": (steps, batch, below),
             "weights_layer": op["weights_layer"].dims,
             "weights_peephole": (layers, ways, 3, units),
             **dict.fromkeys(("src_iter", "src_iter_c", "dst_iter", "dst_iter_c"), state)}
    if op["weights_projection"] is None:
        for name, dims in right.items():
            for field in (name, f"diff_{name}"):
                x = op[field]
                if x is not None and x.dims != dims:
                    op.refuse(f"{field} has sizes {x.dims}; {dims} are needed")
    if kind == "vanilla_rnn" and op["alg"] not in _ACTIVATIONS:
        op.refuse("the activation is algorithm.eltwise_relu, eltwise_tanh or eltwise_logistic")


_ACTIVATIONS = (algorithm.eltwise_relu, algorithm.eltwise_tanh, algorithm.eltwise_logistic)

CHECKS: dict[str, Check] = {
    **dict.fromkeys(_GATES, _recurrent),
    "reorder": _reorder, "eltwise": _eltwise, "convolution": _convolution,
    "deconvolution": _convolution, "matmul": _matmul, "inner_product": _inner_product,
    "pooling": _pooling, "resampling": _resampling, "batch_normalization": _normalization,
    "layer_normalization": _normalization, "group_normalization": _normalization, "lrn": _lrn,
    "softmax": _softmax, "binary": _binary, "concat": _several, "sum": _several,
    "reduction": _reduction, "shuffle": _shuffle, "prelu": _prelu}
