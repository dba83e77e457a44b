"""Kernels that an earlier process lowered are taken from disk while nothing about them changed."""

from __future__ import annotations

import importlib.util
import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.frontend import compiling, specialize
from unisycl.passes import looking
from unisycl.process import disk_cache

KERNEL = """
import enum
import numpy as np
import unisycl as sycl
from dataclasses import dataclass

FACTOR = 3

def helper(x):
    return x * np.float32(2)

def scale(i, a):
    a[i] = helper(a[i]) * FACTOR + sycl.sqrt(a[i])
"""
_numbers = itertools.count()


class Lowered:
    """Loads a module's text as another process would, and counts what the front end makes."""

    def __init__(self, folder: Path, queue: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file, self.queue, self.names = folder / "kernels.py", queue, list[str]()
        plain = compiling.compiled

        def counted(function: Any, *given: Any) -> Any:
            self.names.append(function.__name__)
            return plain(function, *given)
        monkeypatch.setattr(compiling, "compiled", counted)

    def module(self, text: str) -> ModuleType:
        """Return a module of a text; nothing is known of kernels it had before."""
        specialize.forget()
        stamp = next(_numbers)
        self.file.write_text(text)
        os.utime(self.file, (stamp, stamp))  # for those who look whether a file is another one
        spec = importlib.util.spec_from_file_location("kernels", self.file)
        assert spec is not None
        found = importlib.util.module_from_spec(spec)
        exec(compile(text, str(self.file), "exec"), vars(found))  # noqa: S102 - no .pyc between
        return found

    def run(self, text: str, *more: Any, kernel: str = "scale") -> tuple[list[float], int]:
        """Launch a kernel of a text; return its results and how many kernels were lowered."""
        module, before = self.module(text), len(self.names)
        a = np.arange(4, dtype=np.float32)
        self.queue.parallel_for(4, getattr(module, kernel), a, *more).wait()
        return a.tolist(), len(self.names) - before


@pytest.fixture
def lowered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lowered:
    """Return what loads and counts."""
    return Lowered(tmp_path, sycl.queue(sycl.cpu_selector_v), monkeypatch)


def expected(change: Callable[[Any], Any]) -> list[float]:
    """Return the results of a kernel by NumPy."""
    a = np.arange(4, dtype=np.float32)
    found: list[float] = np.asarray(change(a), np.float32).tolist()
    return found


def test_a_kernel_is_lowered_by_one_process_for_all(lowered: Lowered) -> None:
    right = expected(lambda a: a * 2 * 3 + np.sqrt(a))
    assert lowered.run(KERNEL) == (right, 1)
    assert lowered.run(KERNEL) == (right, 0)


@pytest.mark.parametrize(("old", "new", "change"), [
    ("* FACTOR", "* (FACTOR + 1)", lambda a: a * 2 * 4 + np.sqrt(a)),
    ("np.float32(2)", "np.float32(5)", lambda a: a * 5 * 3 + np.sqrt(a)),
    ("FACTOR = 3", "FACTOR = 4.5", lambda a: a * 2 * np.float32(4.5) + np.sqrt(a)),
    ("sycl.sqrt", "sycl.cbrt", lambda a: a * 2 * 3 + np.cbrt(a)),
    ("def helper", "other = sycl.fabs\ndef helper", lambda a: a * 2 * 3 + np.sqrt(a)),
], ids=["text", "helper", "type", "builtin", "lines"])
def test_what_changes_a_kernel_lowers_it_anew(
        lowered: Lowered, old: str, new: str, change: Callable[[Any], Any]) -> None:
    lowered.run(KERNEL)
    found, count = lowered.run(KERNEL.replace(old, new, 1))
    assert count == 1
    np.testing.assert_allclose(found, expected(change), rtol=1e-6)
    assert lowered.run(KERNEL) == (expected(lambda a: a * 2 * 3 + np.sqrt(a)), 0)


def test_numbers_that_kernels_take_at_run_time_change_nothing(lowered: Lowered) -> None:
    lowered.run(KERNEL)
    assert lowered.run(KERNEL.replace("FACTOR = 3", "FACTOR = 7")) == (
        expected(lambda a: a * 2 * 7 + np.sqrt(a)), 1)  # the text of the module is another one
    changed = KERNEL + "\nFACTOR = int(sycl.__name__ == 'unisycl') * 5\n"
    first = lowered.run(changed)
    assert first[1] == 1
    assert lowered.run(changed) == (first[0], 0)


def test_annotations_of_locals_count_though_code_has_none(lowered: Lowered) -> None:
    plain = "import numpy as np\ndef scale(i, a):\n    x: np.{} = a[i]\n    a[i] = x + x\n"
    lowered.run(plain.format("float32"))
    assert lowered.run(plain.format("float32"))[1] == 0
    assert lowered.run(plain.format("float64"))[1] == 1


def test_types_of_arguments_count(lowered: Lowered) -> None:
    text = "def scale(i, a, f):\n    a[i] = a[i] * f\n"
    for value in (2, 2.5, np.float32(3), np.int8(4), np.arange(4)[0]):
        right = expected(lambda a, v=value: a * v)
        assert lowered.run(text, value) == (right, 1)
        assert lowered.run(text, value) == (right, 0)


def test_closures_and_lambdas_come_back(lowered: Lowered) -> None:
    text = ("import numpy as np\ndef make(f, g):\n    def scale(i, a):\n        def inner(x):\n"
            "            return f(x) + g\n        a[i] = inner(a[i])\n    return scale\n"
            "scale = make(lambda x: x * np.float32(3), {})\n")
    assert lowered.run(text.format(1)) == (expected(lambda a: a * 3 + 1), 1)
    assert lowered.run(text.format(1)) == (expected(lambda a: a * 3 + 1), 0)
    other = text.format(1).replace("float32(3)", "float32(4)")
    assert lowered.run(other) == (expected(lambda a: a * 4 + 1), 1)


def test_a_function_in_the_place_of_another_one_lowers_anew(lowered: Lowered) -> None:
    text = (f"{KERNEL}\ndef third(x):\n    return x * np.float32(9)\n\nWHICH = helper\n\n"
            "def scale(i, a):\n    a[i] = WHICH(a[i])\n")
    lowered.run(text)
    assert lowered.run(text)[1] == 0
    module = lowered.module(text)
    module.WHICH = module.third
    a = np.arange(4, dtype=np.float32)
    lowered.queue.parallel_for(4, module.scale, a).wait()
    assert a.tolist() == expected(lambda a: a * 9)


def test_classes_of_the_program_are_lowered_in_every_process(lowered: Lowered) -> None:
    text = (KERNEL + "\nclass Kind(enum.Enum):\n    one = {}\n\ndef scale(i, a):\n"
            "    a[i] = a[i] + (2 if Kind.one.value == 1 else 4)\n")
    assert lowered.run(text.format(1))[0] == expected(lambda a: a + 2)
    assert lowered.run(text.format(2))[0] == expected(lambda a: a + 4)
    assert lowered.run(text.format(1))[0] == expected(lambda a: a + 2)


def test_what_is_warned_of_is_warned_of_again(lowered: Lowered) -> None:
    text = "def scale(i, a, k):\n    a[i] = 2 ** k\n"
    for _ in range(2):
        with pytest.warns(sycl.KernelWarning, match="may be negative"):
            assert lowered.run(text, np.int32(3))[1] == 1


def test_errors_are_found_again(lowered: Lowered) -> None:
    text = "def scale(i, a):\n    a[i] = [1, 2]\n"
    said = []
    for _ in range(2):
        with pytest.raises(sycl.KernelError) as caught:
            lowered.run(text)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_what_is_no_kernel_in_an_entry_is_not_used(
        lowered: Lowered, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, keys = disk_cache.save, []

    def noted(key: str, payload: bytes) -> None:
        if b"kernels.py" in payload:
            keys.append(key)
        plain(key, payload)
    monkeypatch.setattr(disk_cache, "save", noted)
    right = lowered.run(KERNEL)[0]
    assert len(keys) == 1
    for payload in (b"", b"\x80", b"\x80\x05]\x94.", b"\x80\x05]\x94C\x03abca."):
        plain(keys[0], payload)
        assert lowered.run(KERNEL)[0] == right


def test_while_somebody_looks_at_passes_they_run(lowered: Lowered) -> None:
    lowered.run(KERNEL)
    with looking.seen():
        assert lowered.run(KERNEL)[1] == 1



def test_another_process_needs_no_front_end(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(KERNEL + """
import sys
queue = sycl.queue(sycl.cpu_selector_v)
a = np.arange(4, dtype=np.float32)
queue.parallel_for(4, scale, a).wait()
print(a.tolist(), *sorted(m for m in sys.modules if m.startswith((
    "unisycl.frontend.compiling", "unisycl.passes.pipeline", "unisycl.backends.cpu.making",
    "llvmlite.binding"))))
""")
    env = {**os.environ, "UNISYCL_CACHE": str(tmp_path / "cache")}
    said = [subprocess.run([sys.executable, str(program)], env=env, text=True, check=True,
                           capture_output=True).stdout.strip() for _ in range(2)]
    assert said[0].endswith("unisycl.passes.pipeline")
    assert said[1] == str(expected(lambda a: a * 2 * 3 + np.sqrt(a)))
