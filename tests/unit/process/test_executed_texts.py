"""Remembering the texts of code that has no file."""

from __future__ import annotations

import sys

from tests import children
from tests.unit.process import executed_texts_watched


def test_texts_are_remembered_by_a_process_that_watches() -> None:
    done = children.run([sys.executable, "-m", executed_texts_watched.__name__],
                        capture_output=True, text=True)
    assert (0, "") == (done.returncode, done.stderr)
