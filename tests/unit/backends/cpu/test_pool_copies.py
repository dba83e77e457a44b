"""What the native pool is made of on each machine; its copies and fills."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator

import llvmlite.binding as llvm
import numpy as np
import pytest

from unisycl.backends.cpu.pool import pool as pool_module
from unisycl.backends.cpu.pool.pool import NativePool
from unisycl.base.errors import UnsupportedError


@pytest.fixture(scope="module", params=[1, 2, 5])
def pool(request: pytest.FixtureRequest) -> Iterator[NativePool]:
    made = NativePool(request.param)
    yield made
    assert made.stop(10)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("size", [0, 1, 63, 300, 4096, 262_144, 262_145, 1_000_003])
def test_copy_copies_every_byte_and_no_other(pool: NativePool, monkeypatch: pytest.MonkeyPatch,
                                             size: int, stream: bool) -> None:
    monkeypatch.setattr(pool_module, "_STREAM_BYTES", 0 if stream else 1 << 60)
    source = np.random.default_rng(1).integers(0, 255, size + 64, np.uint8)
    for skew in (0, 1, 33):
        target = np.full(size + 128, 255, np.uint8)
        job = pool.copy(target.ctypes.data + skew, source.ctypes.data + 5, size, (), source)
        assert job.wait(30)
        assert (target[skew:skew + size] == source[5:5 + size]).all()
        assert (target[:skew] == 255).all()
        assert (target[skew + size:] == 255).all()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 8, 12, 16, 64, 100, 300_000])
def test_fill_repeats_the_pattern(pool: NativePool, monkeypatch: pytest.MonkeyPatch, size: int,
                                  stream: bool) -> None:
    monkeypatch.setattr(pool_module, "_STREAM_BYTES", 0 if stream else 1 << 60)
    pattern = np.random.default_rng(2).integers(0, 254, size, np.uint8)
    for count in (0, 1, 2, 77, 3_000_000 // size):
        for skew in (0, size):
            target = np.full(size * (count + 2), 255, np.uint8)
            job = pool.fill(target.ctypes.data + skew, pattern.tobytes(), count)
            assert job.wait(30)
            written = target[skew:skew + size * count].reshape(count, size)
            assert (written == pattern).all()
            assert (target[:skew] == 255).all()
            assert (target[skew + size * count:] == 255).all()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_source_is_valid_for_every_machine(monkeypatch: pytest.MonkeyPatch,
                                               machine: str) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    llvm.parse_assembly(pool_module._source()).verify()


def test_other_machines_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(UnsupportedError, match="riscv64; use the host device"):
        pool_module._source()


def test_importing_the_module_does_not_load_llvmlite() -> None:
    program = "import sys, unisycl.backends.cpu.pool.pool; print('llvmlite' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True,
                            text=True)
    assert result.stdout == "False\n"
