"""What the user's function sees during a launch."""

import builtins
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from unisycl.base.enums import access_mode
from unisycl.base.errors import DeviceError
from unisycl.lang.groups import group_functions
from unisycl.lang.groups.group_functions import group_barrier
from unisycl.lang.kernels.kernel import kernel

TABLE = np.zeros(4, np.int32)
SCALE = 3


def add_to_table(i, x):
    TABLE[i] += x


def test_globals_of_the_kernel_and_of_its_helpers_are_checked_views(host):
    TABLE[:] = 0

    def fill(i):
        add_to_table(i, i * SCALE)
    host.range(fill, 4)
    assert TABLE.tolist() == [0, 3, 6, 9]
    with pytest.raises(DeviceError, match="outside 'TABLE'"):
        host.range(fill, 5)


def test_a_kernel_object_with_arguments_and_a_barrier_runs(host):
    @kernel
    def turn(it, source, target, tile):
        tile[it.get_local_id(0)] = source[it.get_global_id(0)]
        group_functions.group_barrier(it.get_group())
        target[it.get_global_id(0)] = tile[3 - it.get_local_id(0)]
    source, target = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    host.nd_range(turn, 4, 4, source, target, host.Local(np.int32, 4))
    assert target.tolist() == [3, 2, 1, 0]


class Turn:
    def __init__(self, source, target, tile):
        self.source, self.target, self.tile = source, target, tile

    def __call__(self, it):
        self.tile[it.get_local_id(0)] = self.source[it.get_global_id(0)]
        self._meet(it)
        self.target[it.get_global_id(0)] = self.tile[3 - it.get_local_id(0)]

    def _meet(self, it):
        group_barrier(it.get_group())

    def run(self, it):
        self(it)


def test_a_functor_and_its_methods_see_views_and_stay_unchanged(host):
    source, target = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    memory = host.Memory(source, access_mode.read)
    functor = Turn(memory, target, host.Local(np.int32, 4))
    host.nd_range(functor, 4, 4)
    assert target.tolist() == [3, 2, 1, 0]
    assert functor.source is memory


def test_a_lambda_is_a_kernel_even_with_a_barrier(host):
    out = np.zeros(4, np.int32)
    host.nd_range(lambda it: (group_barrier(it.get_group()), put(out, it))[1], 4, 4)
    assert out.tolist() == [0, 1, 2, 3]


def put(out, it):
    out[it.get_local_id(0)] = it.get_local_id(0)


def test_a_closure_in_a_loop_keeps_the_value_it_had_when_submitted(host):
    out = np.zeros(3, np.int32)
    for k in range(3):
        host.range(lambda i: put_at(out, k), 1)
    assert out.tolist() == [1, 2, 3]


def put_at(out, k):
    out[k] = k + 1


def test_reading_write_only_and_writing_read_only_memory_is_refused():
    from unisycl.base.errors import UsageError
    from unisycl.lang.memory.views import HostView
    data = np.zeros(2, np.int32)
    with pytest.raises(UsageError, match="'a' is read-only"):
        HostView(data, "a", access_mode.read)[0] = 1
    with pytest.raises(UsageError, match="'b' is write-only"):
        HostView(data, "b", access_mode.write)[0]


def test_breakpoint_stops_with_the_real_ids_and_names(host, monkeypatch):
    seen = []

    def hook():
        frame = sys._getframe(1)
        code = frame.f_code
        seen.append((code.co_name, frame.f_locals["i"], frame.f_lineno, code.co_filename))
    monkeypatch.setattr(sys, "breakpointhook", hook)
    out = np.zeros(8, np.int32)

    def stopping(it):
        i = it.get_global_id(0)
        group_barrier(it.get_group())
        if i == 5:
            breakpoint()  # noqa: T100
        out[i] = i
    host.nd_range(stopping, 8, 4)
    line = stopping.__code__.co_firstlineno + 4
    assert seen == [("stopping", 5, line, __file__)]


def test_a_tracer_sees_the_lines_of_the_users_file_in_a_rewritten_kernel(host):
    out = np.zeros(2, np.int32)

    def traced(it):
        x = 1
        group_barrier(it.get_group())
        out[it.get_global_id(0)] = x
    lines = set()

    def tracer(frame, event, argument):
        if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "traced":
            lines.add(frame.f_lineno - traced.__code__.co_firstlineno)
            return tracer
        return None
    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        host.nd_range(traced, 2, 2)
    finally:
        sys.settrace(old)
    assert lines >= {1, 2, 3}


def test_print_works_in_a_kernel(host, capsys):
    def shouting(i):
        print("item", i.get_id(0))
    host.range(shouting, 2)
    assert capsys.readouterr().out == "item 0\nitem 1\n"


def test_structured_elements_take_fields_by_name(host):
    kind = np.dtype([("x", np.float32), ("n", np.int32)])
    points = np.zeros(3, kind)

    def move(i):
        points[i]["x"] = 1.5
        points[i]["n"] = points[i]["n"] + i + 1
    host.range(move, 3)
    assert points["x"].tolist() == [1.5] * 3
    assert points["n"].tolist() == [1, 2, 3]


def test_memory_methods_of_the_users_object_still_work():
    from unisycl.lang.memory.views import HostView
    raw = SimpleNamespace(get_name=lambda: "its name")
    view = HostView(np.zeros((2, 3)), "v", raw=raw)
    assert view.get_name() == "its name"
    assert (tuple(view.get_range()), view.size(), view[0].size()) == ((2, 3), 6, 3)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = view[0].nothing


def test_the_users_functions_are_not_changed_by_a_launch(host):
    out = np.zeros(2, np.int32)

    def plain(it):
        group_barrier(it.get_group())
        out[it.get_global_id(0)] = 1
    code, cells = plain.__code__, [c.cell_contents for c in plain.__closure__]
    host.nd_range(plain, 2, 2)
    assert plain.__code__ is code
    assert all(a is b.cell_contents for a, b in zip(cells, plain.__closure__))
    assert builtins.breakpoint is breakpoint
