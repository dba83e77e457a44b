"""Which cards there are, and what is said where there is none."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import unisycl as sycl
from tests.cuda_fake.install import driver, installed
from tests.cuda_fake.library import H200, FakeCuda
from unisycl.backends.cuda import driver as cuda
from unisycl.backends.cuda.api import Api
from unisycl.backends.cuda.discovery import library
from unisycl.backends.cuda.discovery.card import cards
from unisycl.backends.cuda.text import compile as compiler
from unisycl.base.errors import DeviceError, UnsupportedError


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_loaded", library._Loaded())
    monkeypatch.setattr(compiler, "problem", lambda: "")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def made(monkeypatch: pytest.MonkeyPatch, fake: Any) -> Any:
    """Return the drivers that the backend makes with a library."""
    monkeypatch.setattr(library, "_library", lambda: fake)
    return cuda.make_drivers()


def test_each_card_has_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = made(monkeypatch, FakeCuda((H200, H200)))
    assert ["NVIDIA H200"] * 2 == [d.devices()[0].name for d in (first, second)]
    assert first.memory != second.memory
    assert {} == cuda.problems()


@pytest.mark.parametrize(("result", "kind", "words"), [
    (100, UnsupportedError, "finds no device; nvidia-smi"), (34, DeviceError, "stub"),
    (803, DeviceError, "different versions"), (804, DeviceError, "compatibility package"),
    (999, DeviceError, "CUDA_ERROR_UNKNOWN")])
def test_a_driver_that_does_not_start_says_why(
        monkeypatch: pytest.MonkeyPatch, result: int, kind: type[Exception], words: str) -> None:
    fake = FakeCuda()
    fake.fail("cuInit", result)
    with pytest.raises(kind, match=words):
        made(monkeypatch, fake)
    assert 1 == len(made(monkeypatch, fake))  # it is tried again


def test_a_setting_that_hides_cards_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    with pytest.raises(UnsupportedError, match="CUDA_VISIBLE_DEVICES=7"):
        made(monkeypatch, FakeCuda(()))


def test_an_old_driver_is_told_which_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match=r"runs CUDA 11\.4, and this needs 12\.0"):
        made(monkeypatch, FakeCuda(version=11040))
    with pytest.raises(DeviceError, match="too old: undefined symbol: cuMemAllocAsync"):
        made(monkeypatch, FakeCuda(lacks=("cuMemAllocAsync",)))


def test_a_card_that_cannot_be_used_is_a_problem_and_others_are_there(
        monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCuda(({**H200, 75: 6, 76: 1}, H200, {**H200, 20: 2}))
    only, = made(monkeypatch, fake)
    assert 1 == only.card.ordinal
    assert ["0", "2"] == list(cuda.problems())
    assert "compute capability is 6.1" in cuda.problems()["0"]
    assert "prohibited" in cuda.problems()["2"]


def test_a_compiler_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "problem", lambda: "NVRTC is missing; pip install it")
    with pytest.raises(DeviceError, match="'NVIDIA H200' is there, but NVRTC is missing"):
        made(monkeypatch, FakeCuda())


def test_a_missing_library_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "LIBRARY", "libcuda-none.so.1")
    monkeypatch.setattr(library, "_MODULE", library.Path("/nowhere"))
    with pytest.raises(UnsupportedError, match="no NVIDIA driver"):
        library.load()
    monkeypatch.setattr(library, "_MODULE", library.Path("/proc/version"))
    with pytest.raises(DeviceError, match="in a container it comes with --gpus all"):
        library.load()


def test_a_part_of_a_card_is_a_device() -> None:
    found, _ = cards(Api(FakeCuda(name="NVIDIA H100 80GB HBM3 MIG 1g.10gb")))
    assert found[0].is_part
    assert not cards(Api(FakeCuda()))[0][0].is_part


@pytest.mark.parametrize("name", [
    "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2", "cuDriverGetVersion", "cuDeviceGetUuid_v2"])
def test_any_call_may_fail(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    fake = FakeCuda()
    fake.fail(name, 999)
    if name == "cuDeviceGetUuid_v2":
        assert "" == made(monkeypatch, fake)[0].card.identity
        return
    with pytest.raises(sycl.exception, match="UNKNOWN"):
        made(monkeypatch, fake)


def test_a_process_that_was_forked_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    made(monkeypatch, FakeCuda())
    library._loaded.pid -= 1
    with pytest.raises(DeviceError, match="forked after its parent had used CUDA"):
        cuda.make_drivers()


def test_a_card_tells_what_it_is() -> None:
    with installed(FakeCuda()):
        device = sycl.device("cuda")
        about = sycl.info.device
        assert device.is_gpu()
        assert "NVIDIA CUDA BACKEND" == device.get_platform().get_info(sycl.info.platform.name)
        assert sycl.backend.cuda == device.get_backend()
        assert (132, 1024) == (device.get_info(about.max_compute_units),
                               device.get_info(about.max_work_group_size))
        assert [32] == list(device.get_info(about.sub_group_sizes))
        assert device.has(sycl.aspect.usm_shared_allocations)
        assert not device.has(sycl.aspect.usm_atomic_host_allocations)
        assert device == sycl.device(sycl.gpu_selector_v)


def test_a_card_is_not_split(fake: FakeCuda) -> None:
    with pytest.raises(sycl.exception, match="MIG"):
        driver(fake).part((0, 1))


ENDLESS = """
import ctypes, sys
from unisycl.backends.cuda.discovery import library
system = ctypes.CDLL(None)
system.on_exit(system.pause, None)  # as the driver where a kernel does not end
print("said", flush=False)
library.leave_at_once()
sys.exit(3)
"""


def test_a_process_ends_without_the_drivers_end() -> None:
    done = subprocess.run([sys.executable, "-c", ENDLESS], text=True, capture_output=True,
                          timeout=300, check=False)
    assert (3, "said\n", "") == (done.returncode, done.stdout, done.stderr)
