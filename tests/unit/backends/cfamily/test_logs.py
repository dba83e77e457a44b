"""How the logs of compilers are shown."""

from __future__ import annotations

from unisycl.backends.cfamily.logs import errors_first


def test_the_lines_of_errors_come_before_those_of_warnings() -> None:
    log = ("Compilation started\nu.py:3:5: warning: w\n    3 | error: x\n      |   ^\n"
           "u.py:3:5: note: for the warning\nu.py:9:1: error: e\n    9 | warning: y\n"
           "u.py:9:1: note: for the error\nremark: <unknown>:0:0: loop not vectorized\n"
           "CompilerException Failed to lookup symbol k\nJIT session error: Symbols not found")
    assert errors_first(log) == [
        "u.py:9:1: error: e", "    9 | warning: y", "u.py:9:1: note: for the error",
        "CompilerException Failed to lookup symbol k", "JIT session error: Symbols not found",
        "Compilation started", "u.py:3:5: warning: w", "    3 | error: x", "      |   ^",
        "u.py:3:5: note: for the warning", "remark: <unknown>:0:0: loop not vectorized"]
