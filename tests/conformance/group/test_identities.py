"""Exclusive scans start with the identity, if SYCL knows one (SYCL 2020 §4.17.4.11)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-42")
OPERATORS = ("plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor",
             "logical_and", "logical_or")


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float32"])
def test_known_identities_start_a_scan_and_others_are_asked_for(queue: sycl.queue, op: str,
                                                                 dtype: str) -> None:
    combine = getattr(sycl, op)()
    if op.startswith("bit") and dtype == "float32":
        return  # no operator of floats at all
    x = (np.arange(6) % 3 + 1).astype(dtype)
    out = np.zeros(6, dtype)

    def scan(it, x, out):
        i = it.get_local_id(0)
        out[i] = sycl.exclusive_scan_over_group(it.get_group(), x[i], combine)

    def started(it, x, out):
        i = it.get_local_id(0)
        out[i] = sycl.exclusive_scan_over_group(it.get_group(), x[i], x[0], combine)

    if not sycl.has_known_identity(combine, dtype):
        assert op.startswith("logical")
        assert dtype != "bool"
        with pytest.raises(sycl.exception, match="K054: no identity is known"):
            queue.parallel_for(sycl.nd_range(6, 6), scan, x, out)
    else:
        queue.parallel_for(sycl.nd_range(6, 6), scan, x, out).wait()
        assert out[0] == np.array(sycl.known_identity(combine, dtype)).astype(dtype)
        assert out[1] == x[0]
    queue.parallel_for(sycl.nd_range(6, 6), started, x, out).wait()
    assert out[0] == x[0]
