"""What Python's logging is told."""

from __future__ import annotations

import logging
import subprocess
import sys

import numpy as np
import pytest

import unisycl as sycl
from unisycl.process import log

PROGRAM = """
import sys
import unisycl.process.log as log
log.say("compile", log.INFO, "nothing")
with log.timed("compile", log.INFO, "nothing"):
    pass
print("logging" in sys.modules)
"""


def test_a_kernel_that_is_compiled_is_told_once(queue, caplog):
    scale = 2.5

    def told(i, x):
        x[i] = scale

    x = np.zeros(4, np.float32)
    with caplog.at_level(logging.INFO, "unisycl.compile"):
        for _ in range(2):
            queue.parallel_for(4, told, x).wait()
    name = queue.get_device().get_info(sycl.info.device.name)
    found = [r.getMessage() for r in caplog.records if r.name == "unisycl.compile"]
    assert len(found) == 1
    assert found[0].startswith(f"kernel 'told' for '{name}' compiled or taken from disk in ")


def test_nothing_is_said_below_the_level_that_a_logger_takes(caplog):
    with caplog.at_level(logging.WARNING, "unisycl"):
        log.say("transfer", log.DEBUG, "%d", 1)
    assert caplog.records == []
    with caplog.at_level(logging.DEBUG, "unisycl"):
        log.say("transfer", log.DEBUG, "%d bytes", 1)
        with pytest.raises(KeyError), log.timed("compile", log.INFO, "fails"):
            raise KeyError
    assert [r.getMessage() for r in caplog.records] == ["1 bytes"]


def test_a_program_without_logging_loads_none():
    code = ("import sys; sys.modules['logging'] = None\n" + PROGRAM.replace(
        'print("logging" in sys.modules)', 'print(sys.modules["logging"])'))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "None"


def test_commands_are_told_while_somebody_looks(queue, caplog):
    def noted(i, x):
        x[i] = 1

    x = sycl.malloc_device(8, np.int32, queue)
    with caplog.at_level(logging.DEBUG, "unisycl.launch"):
        queue.parallel_for(8, noted, x).wait()
        assert caplog.records == []
        with sycl.recording():
            queue.parallel_for(8, noted, x).wait()
    name = queue.get_device().get_info(sycl.info.device.name)
    (found,) = [r.getMessage() for r in caplog.records if r.name == "unisycl.launch"]
    assert "noted" in found
    assert f"on '{name}', queue " in found
