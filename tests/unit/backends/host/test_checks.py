"""What the host device says about a kernel that went wrong."""

import bdb

import numpy as np
import pytest

from unisycl.base.errors import BoundsError, DeviceError, errc
from unisycl.lang.groups.group_functions import group_barrier

DATA = np.zeros(4, np.int32)


def test_an_index_outside_names_view_index_extent_item_and_line(host):
    out = np.zeros((2, 3), np.int32)

    def spill(i):
        out[0, i + 1] = 1
    with pytest.raises(DeviceError) as caught:
        host.range(spill, 3)
    line = spill.__code__.co_firstlineno + 1
    text = str(caught.value)
    assert f"kernel 'spill' failed in work-item id(2) at {__file__}:{line}" in text
    assert "index 3 in dimension 1 is outside 'out' (range 2, 3): valid is 0 to 2" in text
    assert caught.value.code() is errc.kernel
    assert isinstance(caught.value.__cause__, BoundsError)


def read_before(view, i):
    return view[i - 1]


def test_a_negative_index_is_outside_and_the_helpers_line_is_shown(host):
    out = np.zeros(3, np.int32)

    def early(it):
        group_barrier(it.get_group())
        out[it.get_global_id(0)] = read_before(DATA, it.get_global_id(0))
    with pytest.raises(DeviceError) as caught:
        host.nd_range(early, 3, 3)
    line = read_before.__code__.co_firstlineno + 1
    place = f"in work-item id(0) (id(0) of group id(0)) at {__file__}:{line}: index -1"
    assert place in str(caught.value)


def test_the_item_that_failed_after_a_barrier_is_named(host):
    def late(it):
        group_barrier(it.get_group())
        DATA[it.get_global_id(0)] = 1
    with pytest.raises(DeviceError, match=r"work-item id\(4\) \(id\(0\) of group id\(2\)\)"):
        host.nd_range(late, 6, 2)


def test_a_barrier_that_some_items_miss_is_reported_with_the_items(host):
    def divergent(it):
        if it.get_local_id(0) < 2:
            group_barrier(it.get_group())
    with pytest.raises(DeviceError) as caught:
        run_unchecked(host, divergent, 4, 4)
    line = divergent.__code__.co_firstlineno + 2
    text = str(caught.value)
    assert f"in group_barrier of the work-group at {__file__}:{line}: work-items (0), (1)" in text
    assert "ended without another one: work-items (2), (3)" in text
    assert text.startswith(f"kernel 'divergent' failed in work-item id(0) (id(0) of group id(0)) "
                           f"at {__file__}:{line}: not all work-items of the group come to this "
                           "group_barrier: work-item id(2) does not\n")


def test_two_barriers_in_different_branches_are_reported_with_both_lines(host):
    def parted(it):
        if it.get_local_id(0) < 1:
            group_barrier(it.get_group())
        else:
            group_barrier(it.get_group())
    with pytest.raises(DeviceError) as caught:
        run_unchecked(host, parted, 12, 12)
    first = parted.__code__.co_firstlineno + 2
    text = str(caught.value)
    assert f"{__file__}:{first}: work-item (0)" in text
    assert f"{__file__}:{first + 2}: work-items (1), (2)" in text
    assert "and 3 more" in text


def run_unchecked(host, function, whole, local):
    """Launch what the front end may refuse to compile, with the uses it would have noted."""
    import ast

    from unisycl.backends.base import Geometry, Launch
    from unisycl.frontend.source import function_source
    from unisycl.ir import nodes as n
    from unisycl.ir.function_uses import FunctionUse
    source = function_source(function.__code__)
    calls = frozenset((c.lineno, c.col_offset, c.end_lineno, c.end_col_offset)
                      for c in ast.walk(source.node)
                      if isinstance(c, ast.Call) and getattr(c.func, "id", "") == "group_barrier")
    geometry = Geometry("nd_range", (whole,), (local,))
    executable = host.driver.compile(n.Kernel(function.__name__, (), (), "nd_range", 1), geometry)
    completion = host.driver.launch(Launch(executable, geometry, (), function=function, uses=(
        FunctionUse(function.__code__, source, calls),)), ())
    raise completion.error()


def test_ctrl_c_and_leaving_the_debugger_come_out_as_themselves(host, monkeypatch):
    import sys

    def stopped(i):
        breakpoint()  # noqa: T100

    def interrupt():
        raise KeyboardInterrupt
    monkeypatch.setattr(sys, "breakpointhook", interrupt)
    with pytest.raises(KeyboardInterrupt):
        host.range(stopped, 1)

    def leave():
        raise bdb.BdbQuit
    monkeypatch.setattr(sys, "breakpointhook", leave)
    with pytest.raises(bdb.BdbQuit):
        host.range(stopped, 1)
