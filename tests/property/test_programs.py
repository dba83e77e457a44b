"""Random programs mean one thing: what runs them, and what they are made of, adds no race."""

from __future__ import annotations

import re
from collections import defaultdict

from tests.property.cases import compare
from tests.property.programs import program

HEAD = """import numpy as np
import unisycl as sycl
CASE = {{'kind': 'nd_range', 'span': (64,), 'local': (2,), 'size': 64, 'seed': 1, {more}}}
"""
ATOMIC = re.compile(r"atomic_ref\((\w+), \(.*?% 8, ([^()]*)\).*?\)\.fetch_(\w+)\(")


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


def test_no_place_is_changed_by_two_operators() -> None:
    """Of two that do not commute, which comes first is nobody's."""
    found = defaultdict(set)
    for seed in range(600):
        for line in program(seed).splitlines():
            for name, part, op in ATOMIC.findall(line):
                place = re.sub(r"'([xyzw])'$", lambda m: str("xyzw".index(m[1])), part)
                found[seed, name, place].add(op)
    assert len(found) > 100
    assert not {place: ops for place, ops in found.items() if len(ops) > 1}
