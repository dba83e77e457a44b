"""``UNISYCL_TRACE``: what is in the file, and that it is written however a program ends."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import unisycl as sycl

def double(i, p):
    p[i] = 2 * p[i]

main = threading.get_ident()
q = sycl.queue(sycl.host_selector_v if {host} else sycl.cpu_selector_v)
p = sycl.malloc_shared(1 << 12, np.int32, q)
b = sycl.buffer(np.zeros(64, np.int32))

def write(h):
    a = sycl.accessor(b, h)
    h.parallel_for(64, double, a)

def waits(thread):  # for the command that asks, and for no other
    frame = sys._current_frames()[thread]
    while frame is not None and not (frame.f_code.co_name == "_wait_long" and (
            "until_waited_for" in frame.f_locals["self"].label)):
        frame = frame.f_back
    return frame is not None

def look(h):
    a = sycl.accessor(b, h, sycl.read_only_host_task)
    @h.host_task
    def until_waited_for():
        while not waits(main):
            time.sleep(0.001)

first = q.fill(p, 1)
q.parallel_for(1 << 12, double, p, depends_on=first).wait()
def submit():
    q.submit(write)
    q.submit(look)
other = threading.Thread(target=submit, name="other")
other.start()
other.join()
q.wait()
{end}
"""
ENDS = {
    "normal": ("", 0),
    "error": ("raise RuntimeError('no')", 1),
    "lost": ("q.submit(lambda h: h.host_task(lambda: 1 // 0))", 1),
    "interrupt": ("signal.raise_signal(signal.SIGINT)", -2),
}


def trace(tmp_path: Path, end: str, *, host: bool = False) -> tuple[int, dict[str, Any]]:
    path = tmp_path / "out.json"
    done = children.run(
        [sys.executable, "-c", PROGRAM.format(end=end, host=host)], check=False, timeout=300,
        capture_output=True, env={**os.environ, "UNISYCL_TRACE": str(path)})
    return done.returncode, json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("how", ENDS)
def test_the_file_is_written_however_the_program_ends(tmp_path: Path, how: str) -> None:
    end, status = ENDS[how]
    found, read = trace(tmp_path, end, host=how == "error")
    assert status == found
    events = read["traceEvents"]
    commands = {e["args"]["command"]: e for e in events if e.get("cat") == "command"}
    names = [commands[k]["name"] for k in sorted(commands)][:4]
    assert ["fill", "kernel 'double'", "kernel 'double'", "host task 'until_waited_for'"] == names
    for event in commands.values():
        facts = event["args"]
        times = [facts[f"{t}_ns"] for t in ("submit", "ready", "start", "end")]
        assert times == sorted(times)
    assert [0] == commands[1]["args"]["after"]
    assert commands[1]["args"]["ready_ns"] >= commands[0]["args"]["end_ns"]
    assert "4096" == commands[1]["args"]["range"]
    assert ["b: read"] == commands[3]["args"]["memory"]


def test_tracks_are_threads_and_devices_and_arrows_join_them(tmp_path: Path) -> None:
    _, read = trace(tmp_path, "")
    events = read["traceEvents"]
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
              if e.get("name") == "thread_name"}
    named = " ".join(tracks.values())
    assert "MainThread" in named
    assert "other" in named
    assert "queue 0" in named
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert begins.keys() == ends.keys() == {0, 1, 2, 3}
    for number, begin in begins.items():
        assert begin["pid"] == 1
        assert ends[number]["ts"] >= begin["ts"]
    for track in tracks:
        slices = sorted((e["ts"], e["ts"] + e["dur"]) for e in events
                        if e["ph"] == "X" and (e["pid"], e["tid"]) == track)
        if track[0] == 2:
            for (_, end), (start, _) in zip(slices, slices[1:], strict=False):
                assert start >= end - 1e-3
    assert ["wait for host task 'until_waited_for'"] == [
        e["name"] for e in events if e.get("cat") == "wait" and e["args"]["command"] == 3]


FORK = """
import os
import numpy as np
import unisycl as sycl
q = sycl.queue(sycl.host_selector_v)
q.single_task(lambda: None).wait()
child = os.fork()
if child == 0:
    q = sycl.queue(sycl.host_selector_v)
    q.single_task(lambda: None)
    q.single_task(lambda: None).wait()
    raise SystemExit
os.waitpid(child, 0)
"""


def test_a_forked_child_writes_a_file_of_its_own(tmp_path: Path) -> None:
    children.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=300,
                 env={**os.environ, "UNISYCL_TRACE": str(tmp_path / "out.json")})
    counts = sorted(
        (len(path.name), sum(e.get("cat") == "command" for e in json.loads(
            path.read_text(encoding="utf-8"))["traceEvents"])) for path in tmp_path.iterdir())
    assert [1, 2] == [count for _, count in counts]


def test_a_file_that_cannot_be_written_is_said_and_nothing_more(tmp_path: Path) -> None:
    done = children.run(
        [sys.executable, "-c", "import unisycl; unisycl.queue(unisycl.host_selector_v)"],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "UNISYCL_TRACE": str(tmp_path / "no" / "out.json")})
    assert 0 == done.returncode
    assert "UNISYCL_TRACE" in done.stderr


MOVES = """
import os
import unisycl as sycl
os.chdir("/")
q = sycl.queue(sycl.host_selector_v)
q.single_task(lambda: None).wait()
os.chdir("/usr")
"""


@pytest.mark.parametrize("name", ["out.json", "~/out.json"])
def test_a_program_may_change_its_folder(tmp_path: Path, name: str) -> None:
    children.run([sys.executable, "-c", MOVES], check=True, timeout=300, cwd=tmp_path, env={
        **os.environ, "UNISYCL_TRACE": name, "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parents[3])})
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["traceEvents"]


def test_a_file_at_a_home_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    done = children.run(
        [sys.executable, "-c", "import unisycl; unisycl.queue(unisycl.host_selector_v)"],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "UNISYCL_TRACE": "~/out.json", "HOME": "here",
             "UNISYCL_CACHE": "off"})
    assert 1 == done.returncode
    assert "UNISYCL_TRACE=~/out.json: HOME is 'here'; give a whole path" in done.stderr


def test_compiling_is_a_slice_of_its_thread(queue: sycl.queue, tmp_path: Path) -> None:
    scale = 4.5

    def compiled_here(i, x):  # type: ignore[no-untyped-def]
        x[i] = scale

    x = sycl.malloc_device(4, np.float32, queue)
    with sycl.recording() as seen:
        for _ in range(2):
            queue.parallel_for(4, compiled_here, x).wait()
    seen.save(tmp_path / "out.trace")
    events = json.loads((tmp_path / "out.trace").read_text(encoding="utf-8"))["traceEvents"]
    (found,) = [e for e in events if e.get("cat") == "compile"]
    assert found["name"] == "compile compiled_here"
    assert found["dur"] > 0
    (before, _) = [e for e in events if e.get("cat") == "submit"
                   and e["name"] == "submit kernel 'compiled_here'"]
    assert found["tid"] == before["tid"]
    assert found["ts"] + found["dur"] <= before["ts"]
