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
_CELL = "src_layer src_iter? {c}weights_layer weights_iter {p}bias? dst_layer dst_iter? {d}"


def _products(name: str) -> tuple[Row, ...]:
    return (
        Row(f"{name}_forward", f"prop alg src weights bias? dst {_WINDOW}", "src weights bias",
            "dst"),
        Row(f"{name}_backward_data", f"alg diff_src weights diff_dst {_WINDOW}",
            "weights diff_dst", "diff_src", forward=f"{name}_forward"),
        Row(f"{name}_backward_weights", f"alg src diff_weights diff_bias? diff_dst {_WINDOW}",
            "src diff_dst", "diff_weights diff_bias", forward=f"{name}_forward"))


ROWS: dict[str, Row] = {row.name: row for row in (
    Row("reorder", "src dst", "src", "dst"),
    Row("matmul", "src weights bias? dst", "src weights bias", "dst"),
    Row("eltwise_forward", "prop alg src dst? alpha? beta?", "src", "dst", "dst=src"),
    Row("eltwise_backward", "alg diff_src diff_dst? data alpha? beta?", "data diff_dst",
        "diff_src", "diff_src=diff_dst", forward="eltwise_forward"),
    *_products("convolution"),
    *_products("deconvolution"),
)}
"""All primitives by name."""
