"""Forking while another thread imports."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from unisycl.process import forking


def test_an_import_in_another_thread_is_seen(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unisycl_slow.py").write_text(
        "import threading\nthreading.begun.set()\nthreading.go_on.wait(30)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    begun, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(threading, "begun", begun, raising=False)
    monkeypatch.setattr(threading, "go_on", go_on, raising=False)
    other = threading.Thread(target=lambda: __import__("unisycl_slow"))
    other.start()
    assert begun.wait(30)
    assert forking.imported_elsewhere()
    go_on.set()
    other.join()
    assert not forking.imported_elsewhere()


SLOW = """
import sys, threading, time
threading.begun.set()
def forks():
    frame = sys._current_frames()[threading.main_thread().ident]
    while frame is not None and frame.f_code.co_name != "wait_for_imports":
        frame = frame.f_back
    return frame is not None
while not forks():
    time.sleep(0.001)
"""
PROGRAM = """
import os, sys, threading
import unisycl
sys.path.insert(0, sys.argv[1])
threading.begun = threading.Event()
other = threading.Thread(target=lambda: __import__("unisycl_slow"))
other.start()
threading.begun.wait()
child = os.fork()
if child == 0:
    import unisycl_slow
    os._exit(7)
other.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_can_import_what_another_thread_was_importing(tmp_path: Path) -> None:
    (tmp_path / "unisycl_slow.py").write_text(SLOW)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path)],
                          timeout=300, check=False)
    assert 7 == done.returncode
