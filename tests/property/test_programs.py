"""Random programs mean one thing: what runs them, and what they are made of, adds no race."""

from __future__ import annotations

from tests.property.cases import compare

HEAD = """import numpy as np
import unisycl as sycl
CASE = {{'kind': 'nd_range', 'span': (64,), 'local': (2,), 'size': 64, 'seed': 1, {more}}}
"""


def test_a_program_to_refuse_is_judged_on_every_device_named() -> None:
    text = HEAD.format(more="") + """
def kernel(it, o_int32):
    i = it.get_global_linear_id()
    if i > 3:
        un = np.int32(1)
    o_int32[i] = un  # refused: K031
"""
    assert compare(text, "cpu,host") == []
    taken = text.replace("    if i > 3:\n    ", "")
    assert compare(taken, "cpu,host") == [
        f"{name} does not refuse it (K031)" for name in ("host", "cpu", "host")]
