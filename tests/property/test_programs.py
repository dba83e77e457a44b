"""Random programs mean one thing: what runs them, and what they are made of, adds no race."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import pytest

from tests.property.cases import case_of, compare, memory, run
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


@pytest.mark.parametrize("more", ["'way': 'bind'", "'constants': (1,)"])
def test_the_launches_of_a_program_do_not_overlap(more: str) -> None:
    turns = 60000
    text = HEAD.format(more=f"'launches': 2, {more}") + f"""
K0 = sycl.specialization_id(np.int32, 0)
def kernel(it, a_int32, o_int32{", kh: sycl.kernel_handler" if "constants" in more else ""}):
    i = it.get_global_linear_id()
    x = o_int32[i]
    for k in range({turns}):
        x = x * 3 + a_int32[(i + k) % 64]
    o_int32[i] = x
"""
    a, wanted = (memory(case_of(text), name, {}) for name in ("a_int32", "o_int32"))
    for k in range(2 * turns):
        wanted[:] = wanted * 3 + np.roll(a, -(k % turns))
    for _ in range(20):
        assert run(text, "cpu")["o_int32"].tolist() == wanted.tolist()
