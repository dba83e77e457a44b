"""The table of primitives: what their descriptors take, in order, and what an execution takes.

Names of fields say their types (``kind_of``). A ``?`` marks a field that may be left out; of a run
of fields of one type these are left out first. Non-goals: checks, and who computes. Invariant: the
order is that of oneDNN's C functions and of its C++ classes, which agree.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

_KINDS = {
    "prop": "prop_kind", "alg": "algorithm", "direction": "direction", "flags": "flags",
    "strides": "dims", "dilates": "dims", "kernel": "dims", "padding_l": "dims",
    "padding_r": "dims", "factors": "numbers", "scales": "numbers", "srcs": "descs",
    "alpha": "number", "beta": "number", "epsilon": "number", "p": "number", "eps": "number",
    "k": "number", "axis": "whole", "group": "whole", "local_size": "whole"}


def kind_of(field: str) -> str:
    """Return the type of a field by its name."""
    return _KINDS.get(field, "desc")


@dataclass(frozen=True)
class Row:
    """One kind of primitive.

    Args:
        name: of the class.
        fields: what its descriptor takes.
        ins: the fields that an execution reads.
        outs: the fields that an execution writes.
        inplace: pairs ``output=input`` that may be the same memory.
        forward: for backward kinds, the kind of the hint; '' of forward ones.
    """

    name: str
    fields: str
    ins: str
    outs: str
    inplace: str = ""
    forward: str = ""

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The fields in order."""
        return tuple(f.rstrip("?") for f in self.fields.split())

    @functools.cached_property
    def optional(self) -> frozenset[str]:
        """The fields that may be left out."""
        return frozenset(f[:-1] for f in self.fields.split() if f.endswith("?"))

    @functools.cached_property
    def pairs(self) -> dict[str, str]:
        """The outputs that may be inputs."""
        return dict(p.split("=") for p in self.inplace.split())


_WINDOW = "strides dilates? padding_l padding_r"


def _products(name: str) -> tuple[Row, ...]:
    return (
        Row(f"{name}_forward", f"prop alg src weights bias? dst {_WINDOW}", "src weights bias",
            "dst"),
        Row(f"{name}_backward_data", f"alg diff_src weights diff_dst {_WINDOW}",
            "weights diff_dst", "diff_src", forward=f"{name}_forward"),
        Row(f"{name}_backward_weights", f"alg src diff_weights diff_bias? diff_dst {_WINDOW}",
            "src diff_dst", "diff_weights diff_bias", forward=f"{name}_forward"))


def _normalisation(name: str, tensors: str, back: str, more: str) -> tuple[Row, ...]:
    return (
        Row(f"{name}_normalization_forward", f"prop {tensors} {more}epsilon flags?",
            "src src1 mean variance scale shift", "dst mean variance workspace", "dst=src"),
        Row(f"{name}_normalization_backward", f"prop {back} {more}epsilon flags?",
            "src mean variance scale diff_dst workspace",
            "diff_src diff_src1 diff_scale diff_shift", "diff_src=diff_dst",
            forward=f"{name}_normalization_forward"))


_IN = "src_layer src_iter? {c}weights_layer weights_iter {p}bias? dst_layer dst_iter? {d}"
_CELLS = {"lstm": ("src_iter_c? ", "weights_peephole? weights_projection? ", "dst_iter_c?")}


def _recurrent(name: str, before: str, behind: str) -> tuple[Row, ...]:
    c, p, d = _CELLS.get(name, ("", "", ""))
    given = _IN.format(c=c, p=p, d=d).split()
    # an iteration that is left out is said by None, as its place tells tensors apart
    given = [g.rstrip("?") if "iter" in g or g[:4] == "bias" else g for g in given]
    slopes = [f"diff_{g}" for g in given]
    ins = [g.rstrip("?") for g in given if not g.startswith("dst")]
    outs = [g.rstrip("?") for g in given if g.startswith("dst")]
    from_above = [f"diff_{g}" for g in outs]
    return (
        Row(f"{name}_forward", " ".join(["prop", before, *given, behind]), " ".join(ins),
            " ".join([*outs, "workspace"])),
        Row(f"{name}_backward", " ".join(["prop", before, *given, *slopes, behind]),
            " ".join([*ins, *outs, *from_above, "workspace"]),
            " ".join(f"diff_{g}" for g in ins), forward=f"{name}_forward"))


ROWS: dict[str, Row] = {row.name: row for row in (
    Row("reorder", "src dst", "src", "dst"),
    Row("matmul", "src weights bias? dst", "src weights bias", "dst"),
    Row("eltwise_forward", "prop alg src dst? alpha? beta?", "src", "dst", "dst=src"),
    Row("eltwise_backward", "alg diff_src diff_dst? data alpha? beta?", "data diff_dst",
        "diff_src", "diff_src=diff_dst", forward="eltwise_forward"),
    *_products("convolution"),
    *_products("deconvolution"),
    Row("inner_product_forward", "prop src weights bias? dst", "src weights bias", "dst"),
    Row("inner_product_backward_data", "diff_src weights diff_dst", "weights diff_dst",
        "diff_src", forward="inner_product_forward"),
    Row("inner_product_backward_weights", "src diff_weights diff_bias? diff_dst",
        "src diff_dst", "diff_weights diff_bias", forward="inner_product_forward"),
    Row("pooling_forward", "prop alg src dst strides kernel dilates? padding_l padding_r", "src",
        "dst workspace"),
    Row("pooling_backward",
        "alg diff_src diff_dst strides kernel dilates? padding_l padding_r",
        "diff_dst workspace", "diff_src", forward="pooling_forward"),
    Row("resampling_forward", "prop alg factors? src dst?", "src", "dst"),
    Row("resampling_backward", "alg factors? diff_src diff_dst", "diff_dst", "diff_src",
        forward="resampling_forward"),
    *_normalisation("batch", "src dst?", "diff_src diff_dst? src", ""),
    *_normalisation("layer", "src dst stat?", "diff_src diff_dst src stat?", ""),
    *_normalisation("group", "src dst", "diff_src diff_dst src", "group "),
    Row("lrn_forward", "prop alg src dst? local_size alpha beta k?", "src", "dst workspace"),
    Row("lrn_backward", "alg diff_src diff_dst? src local_size alpha beta k?",
        "src diff_dst workspace", "diff_src", "diff_src=diff_dst", forward="lrn_forward"),
    Row("softmax_forward", "prop alg? src dst? axis", "src", "dst", "dst=src"),
    Row("softmax_backward", "alg? diff_src diff_dst? dst axis", "dst diff_dst", "diff_src",
        "diff_src=diff_dst", forward="softmax_forward"),
    Row("binary", "alg src0 src1 dst", "src0 src1", "dst", "dst=src0"),
    Row("concat", "dst? axis srcs", "srcs", "dst"),
    Row("sum", "dst? scales srcs", "srcs", "dst"),
    Row("reduction", "alg src dst p? eps?", "src", "dst"),
    Row("shuffle_forward", "prop src dst? axis group", "src", "dst"),
    Row("shuffle_backward", "diff_src diff_dst? axis group", "diff_dst", "diff_src",
        forward="shuffle_forward"),
    Row("prelu_forward", "prop src weights dst?", "src weights", "dst", "dst=src"),
    Row("prelu_backward", "src weights diff_src diff_weights diff_dst?",
        "src weights diff_dst", "diff_src diff_weights", forward="prelu_forward"),
    *_recurrent("vanilla_rnn", "alg direction", "flags? alpha? beta?"),
    *_recurrent("lstm", "direction", "flags?"),
    *_recurrent("gru", "direction", "flags?"),
    *_recurrent("lbr_gru", "direction", "flags?"),
)}
"""All primitives by name."""
