"""The simulation: plans as in a real run, and times that the model gives by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unisycl.__main__ import main
from unisycl.ranks.links import world
from unisycl.ranks.network.clock import Clock
from unisycl.ranks.network.machine import Machine, bits, seconds
from unisycl.ranks.network.pretended import Group, PretendedLink

PROGRAM = """
from unisycl.examples import ranks
from unisycl.ext.unisycl import distr_queue
q = distr_queue("cpu")
ranks.heat(q, 8 * q.size, 32, 10)
q.wait()
"""


@pytest.mark.part("R-10")
def test_a_message_takes_what_the_model_says() -> None:
    clock = Clock(2, Machine(latency=10e-6, overhead=1e-6, bandwidth=1e9, group=0.0))
    clock.kernel(0, "k", 1e-3, (), (0,))
    clock.message((0, 1), 0, 1000, "b")
    clock.kernel(1, "k", 1e-3, (0,), ())
    assert clock.end == pytest.approx(1e-3 + 10e-6 + 2e-6 + 1e-3)
    assert [e.kind for e in clock.critical_path()] == ["kernel", "message", "kernel"]
    assert sum(clock.shares().values()) == pytest.approx(clock.end)


@pytest.mark.part("R-10")
def test_messages_overlap_with_kernels_and_share_ports() -> None:
    clock = Clock(3, Machine(latency=0.0, overhead=0.0, bandwidth=1e9, group=0.0))
    for rank in (0, 1):
        clock.kernel(rank, "k", 1e-3, (), (0,))
        clock.kernel(rank, "other", 5e-3, (), (1,))
        clock.message((rank, 2), 0, 1_000_000, "b")  # a millisecond each, into one port
    clock.kernel(2, "k", 0.0, (0,), ())
    assert clock.devices[2] is not None
    assert clock.devices[2].end == pytest.approx(3e-3)
    assert clock.end == pytest.approx(6e-3)


@pytest.mark.part("R-10")
def test_a_thousand_ranks_are_planned_and_traced(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    program, trace = tmp_path / "program.py", tmp_path / "trace.json"
    program.write_text(PROGRAM)
    assert main(["simulate", "--ranks", "1000", "--network", "100G", "--latency", "3us", "--trace",
                 str(trace), str(program)]) == 0
    out = capsys.readouterr().out
    assert "1000 ranks, 11 command groups, 19980 messages" in out  # two halos, ten steps
    assert "measured on this machine" in out
    assert "critical path" in out
    names = {e["name"] for e in json.loads(trace.read_text())["traceEvents"]}
    assert {"kernel 'flow'", "buffer 0", "buffer 1"} <= names
    assert world.pretended is None


@pytest.mark.part("R-10")
def test_weak_scaling_does_not_depend_on_how_many_ranks_there_are() -> None:
    times = []
    for size in (4, 64):
        link = PretendedLink(size)
        program = link.program
        for _ in range(3):
            group = Group("step")
            group.transfers = [(r, r + d, 0, 1000) for r in range(size) for d in (-1, 1)
                               if 0 <= r + d < size]
            group.kernel, group.reads, group.writes = "k", (0,), (0,)
            group.parts = [(r, 1.0, 0.0) for r in range(size)]
            program.groups.append(group)
        program.costs["k"] = 1e-3
        times.append(program.times(Machine()).end)
    assert times[0] == pytest.approx(times[1], rel=0.01)


@pytest.mark.part("R-10")
def test_units_are_read_and_others_refused() -> None:
    assert bits("200G") == 25e9
    assert seconds("2us") == pytest.approx(2e-6)
    for wrong in ("fast", "0G", ""):
        with pytest.raises(Exception, match="bits a second"):
            bits(wrong)
    with pytest.raises(Exception, match="has a unit"):
        seconds("2")
