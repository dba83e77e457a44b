"""Which texts LLVM optimises function by function, and that nothing is lost by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.compile import jit

PLAIN = """
declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)
define void @root(ptr %p) {
  %a = alloca <8 x float>
  %x = load <8 x float>, ptr %p
  store <8 x float> %x, ptr %a
  %y = load <8 x float>, ptr %a
  %z = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %y)
  store <8 x float> %z, ptr %p
  ret void
}
"""
OWN_FUNCTION = PLAIN + """
define internal i64 @twice(i64 %x) {
  %y = shl i64 %x, 1
  ret i64 %y
}
define i64 @four(i64 %x) {
  %y = call i64 @twice(i64 %x)
  %z = call i64 @twice(i64 %y)
  ret i64 %z
}
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what is optimised function by function."""
    seen: list[Any] = []
    optimise = jit._alone

    def noted(module: Any, builder: Any) -> None:
        seen.append(module)
        optimise(module, builder)
    monkeypatch.setattr(jit, "_alone", noted)
    return seen


def test_functions_that_call_nothing_are_optimised_by_themselves(alone: list[Any]) -> None:
    found = jit.to_llvm(PLAIN)
    assert len(alone) == 1
    assert "alloca" not in found


@pytest.mark.parametrize("asked", [{"loops": True}, {"level": 1}, {"level": 3}, {"level": 0}])
def test_other_levels_and_loops_to_vectorise_are_left_to_the_whole(
        alone: list[Any], asked: dict[str, Any]) -> None:
    jit.to_llvm(PLAIN, **asked)
    assert not alone


def test_functions_that_are_called_are_still_inlined(alone: list[Any]) -> None:
    found = jit.to_llvm(OWN_FUNCTION)
    assert not alone
    assert "@twice" not in found


def test_what_a_library_has_is_known_by_the_whole_alone(alone: list[Any]) -> None:
    jit.to_llvm(PLAIN + "declare double @cos(double)\n")
    assert not alone


def straight(i: Any, a: Any) -> None:
    a[i] = a[i] * 2.0 + 1.0


def counted(i: Any, a: Any) -> None:
    for k in range(int(a[i])):
        a[i] += k


def until(i: Any, a: Any) -> None:
    while a[i] > 1.0:
        a[i] *= 0.5


@pytest.mark.parametrize(("kernel", "by_itself"),
                         [(straight, True), (counted, False), (until, False)])
def test_kernels_with_loops_of_their_own_are_left_to_the_whole(
        alone: list[Any], monkeypatch: pytest.MonkeyPatch, kernel: Any, by_itself: bool) -> None:
    monkeypatch.setattr(jit, "recall", lambda *_: None)
    made = jit.made
    texts = []

    def noted(text: str, **asked: Any) -> bytes:
        texts.append(text)
        return made(text, **asked)
    monkeypatch.setattr(jit, "made", noted)
    a = np.arange(37, dtype=np.float32)
    wanted = a.copy()
    for i in range(a.size):
        kernel(i, wanted)
    queue = sycl.queue(sycl.cpu_selector_v)
    queue.parallel_for(a.size, kernel, a).wait()
    np.testing.assert_array_equal(a, wanted)
    mine = [t for t in texts if "@unisycl_kernel(" in t]
    assert len(mine) == 1
    assert bool(alone) is by_itself
