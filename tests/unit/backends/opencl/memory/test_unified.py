"""Memory of ``cl_intel_unified_shared_memory`` on devices that nobody here has."""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
import threading
import types
import weakref
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.base import BoundView
from unisycl.backends.opencl import session
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.discovery import probe
from unisycl.backends.opencl.discovery.info import device_info
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.memory.levels import Level, by_extension, level_of
from unisycl.backends.opencl.memory.unified import Unified
from unisycl.backends.opencl.memory.unified_api import EXTENSION, FUNCTIONS, UnifiedApi
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import DeviceError

ACCESS, ATOMIC, CONCURRENT, CONCURRENT_ATOMIC = 1, 2, 4, 8
ALL = 15
PLAIN = {aspect.usm_device_allocations, aspect.usm_host_allocations,
         aspect.usm_shared_allocations}
ATOMICS = {aspect.usm_atomic_host_allocations, aspect.usm_atomic_shared_allocations}
EVERYWHERE = 64
"""Atomics of all devices' scope."""


def reporting(svm: int = 0, scopes: int = EVERYWHERE, **kinds: int) -> Traits:
    numbers = {f"{name}_capabilities_intel": bits for name, bits in kinds.items()}
    return Traits(
        library="", platform="Paper", platform_version="OpenCL 3.0", name="Paper", vendor="",
        version="OpenCL 3.0", driver_version="", kind="gpu", number=0, c_version=(3, 0),
        features=frozenset(), extensions=frozenset({EXTENSION}),
        numbers={"svm_capabilities": svm, "atomic_memory_capabilities": scopes, **numbers},
        item_sizes=(256, 256, 64), sub_group_sizes=())


def kinds_of_usm(traits: Traits, level: Level) -> set[aspect]:
    return {a for a in device_info(traits, Quirks(), level).aspects if a.name.startswith("usm_")}


@pytest.mark.parametrize(("traits", "level", "aspects"), [
    (reporting(), Level.separate, {aspect.usm_device_allocations}),
    (reporting(device_mem=ACCESS), Level.unified, {aspect.usm_device_allocations}),
    (reporting(device_mem=ACCESS, host_mem=ACCESS), Level.unified,
     {aspect.usm_device_allocations, aspect.usm_host_allocations}),
    (reporting(device_mem=ACCESS, single_device_shared_mem=ACCESS), Level.unified,
     {aspect.usm_device_allocations, aspect.usm_shared_allocations}),
    (reporting(device_mem=ACCESS, cross_device_shared_mem=ACCESS), Level.unified,
     {aspect.usm_device_allocations}),
    (reporting(3, device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL), Level.unified,
     PLAIN | ATOMICS),
    (reporting(device_mem=ALL, host_mem=ALL, single_device_shared_mem=ACCESS | ATOMIC),
     Level.unified, PLAIN | {aspect.usm_atomic_host_allocations}),
    (reporting(device_mem=ALL, host_mem=ACCESS | CONCURRENT,
               single_device_shared_mem=ACCESS | CONCURRENT_ATOMIC),
     Level.unified, PLAIN | {aspect.usm_atomic_shared_allocations}),
    (reporting(scopes=0, device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL),
     Level.unified, PLAIN),
    (reporting(device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL,
               shared_system_mem=ACCESS), Level.unified, PLAIN | ATOMICS),
    (reporting(1, host_mem=ALL), Level.coarse, PLAIN),
    (reporting(3, device_mem=ALL, host_mem=ALL), Level.fine, PLAIN),
    (reporting(1, device_mem=ALL, single_device_shared_mem=ALL), Level.coarse, PLAIN),
], ids=["nothing", "device", "no shared", "no host", "cross only", "all", "host atomics",
        "shared atomics", "no scope", "system by turns", "no device", "no shared but SVM",
        "no host but SVM"])
def test_each_aspect_is_what_the_device_reports_of_that_kind(traits, level, aspects):
    assert level is level_of(traits, Quirks())
    assert aspects == kinds_of_usm(traits, level)
    assert by_extension(traits, Quirks(), level) == (level is Level.unified)


def test_memory_of_the_system_is_reached_by_the_extension_alone():
    traits = reporting(device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL,
                       shared_system_mem=ACCESS | CONCURRENT)
    assert Level.system is level_of(traits, Quirks())
    assert by_extension(traits, Quirks(), Level.system)
    assert aspect.usm_system_allocations in kinds_of_usm(traits, Level.system)


def test_of_two_ways_to_the_systems_memory_svm_is_taken():
    traits = reporting(7, device_mem=ALL, shared_system_mem=ALL)
    assert Level.system is level_of(traits, Quirks())
    assert not by_extension(traits, Quirks(), Level.system)


@pytest.mark.parametrize(("word", "svm", "level"), [
    ("system", 15, Level.system), ("unified", 15, Level.unified), ("fine", 15, Level.fine),
    ("fine", 0, Level.separate), ("coarse", 15, Level.coarse), ("separate", 15, Level.separate)])
def test_a_program_may_ask_for_less(monkeypatch, word, svm, level):
    monkeypatch.setenv("UNISYCL_MEMORY", word)
    traits = reporting(svm, device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL)
    assert level is level_of(traits, Quirks())


class Loader(Api):
    """A loader whose platform lacks a function of the extension."""

    lacking = ""

    def __init__(self, cl: Any) -> None:
        self.cl = cl

    def extension(self, platform: Any, name: str) -> int | None:
        return None if name == self.lacking else 1


class Device:
    """What ``probe`` asks."""

    int_ptr = 1
    platform = types.SimpleNamespace(int_ptr=2)


@pytest.mark.parametrize("lacking", FUNCTIONS)
def test_a_driver_that_lacks_a_function_counts_as_one_without_the_extension(monkeypatch, lacking):
    monkeypatch.setattr(Loader, "lacking", lacking)
    monkeypatch.setattr(probe, "Api", Loader)
    monkeypatch.setitem(sys.modules, "pyopencl", types.SimpleNamespace(_cl=None))
    assert {} == probe._unified_memory(Device(), frozenset({EXTENSION}))
    assert {} == probe._unified_memory(Device(), frozenset())


def test_a_platform_that_lacks_a_function_later_is_refused(monkeypatch):
    monkeypatch.setattr(Loader, "lacking", "clMemFreeINTEL")
    monkeypatch.setattr(UnifiedApi, "extension", Loader.extension)
    monkeypatch.setattr(UnifiedApi, "lacking", "clMemFreeINTEL", raising=False)
    monkeypatch.setattr(Api, "__init__", lambda self, cl: None)
    with pytest.raises(DeviceError, match="Paper.* has clMemFreeINTEL no more"):
        UnifiedApi(None, types.SimpleNamespace(name="Paper "))


class Machine(UnifiedApi):
    """The functions of a simulated driver."""

    def __init__(self) -> None:
        self.status = 0
        self.memories: dict[int, Any] = {}
        self.asked: list[tuple[Any, ...]] = []
        self.told: list[tuple[int, int]] = []
        self.freed: list[int] = []
        self.free = self._let_go
        self.hints: list[tuple[Any, ...]] = []
        self.refusing = 0
        self._migrate = functools.partial(self._note, "migrate")
        self._advise = functools.partial(self._note, "advise")
        self.cl: Any = types.SimpleNamespace(Event=types.SimpleNamespace(
            from_int_ptr=lambda pointer, retain: "an event"))
        self._of_host = lambda context, *rest: self._make("host", *rest)
        self._of_device = lambda context, device, *rest: self._make("device", *rest, device)
        self._of_both = lambda context, device, *rest: self._make("shared", *rest, device)

    def _make(self, kind: str, properties: None, nbytes: int, alignment: int, status: Any,
              device: int | None = None) -> int | None:
        self.asked.append((kind, device, nbytes, alignment))
        if self.status:
            ctypes.cast(status, ctypes.POINTER(ctypes.c_int32))[0] = self.status
            return None
        made = np.zeros(nbytes + alignment, np.uint8)
        address = int(made.ctypes.data) + -made.ctypes.data % alignment
        self.memories[address] = made
        return address

    def _note(self, what: str, queue: int, address: int, nbytes: int, how: int, *waits: Any) -> int:
        self.hints.append((what, address, nbytes, how, waits[0]))
        return self.refusing

    def _let_go(self, context: int, address: int) -> int:
        self.freed.append(address)
        return 0

    def exec_info(self, kernel: int, what: int, size: int, value: Any) -> int:
        assert 4 == size
        self.told.append((what, value[0]))
        return 0


@pytest.fixture
def machine() -> Machine:
    return Machine()


def unified(machine: Machine, **kinds: int) -> Unified:
    made: Any = types.SimpleNamespace(
        api=machine, cl=machine.cl, context=types.SimpleNamespace(int_ptr=2),
        allocations=weakref.WeakValueDictionary(), sharing=threading.RLock())
    device = types.SimpleNamespace(int_ptr=7)
    queue = types.SimpleNamespace(int_ptr=1, flush=lambda: None)
    return Unified(made, device, queue, reporting(**kinds))


def test_each_kind_has_its_function_and_its_device(machine):
    shared = unified(machine, device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL)
    for kind in (usm_kind.host, usm_kind.device, usm_kind.shared):
        made = shared.allocate(100, 64, kind)
        assert 100 == made.nbytes
        assert made.before_access is None
    assert [("host", None, 100, 64), ("device", 7, 100, 64), ("shared", 7, 100, 64)] == (
        machine.asked)


def test_memory_is_freed_once_with_the_last_that_uses_it(machine):
    shared = unified(machine, device_mem=ALL)
    made = shared.allocate(64, 1, usm_kind.device)
    at, part = made.allocation.address, made[16:32].view(np.int32)
    assert [at] == list(shared.known)
    del made
    gc.collect()
    assert not machine.freed
    del part
    gc.collect()
    assert [at] == machine.freed
    assert not shared.known


def test_an_alignment_beyond_that_of_the_driver_is_kept(machine):
    made = unified(machine, device_mem=ALL).allocate(100, 4096, usm_kind.device)
    assert 0 == made.ctypes.data % 4096
    assert [("device", 7, 4196, 128)] == machine.asked


@pytest.mark.parametrize("status", [-4, -5, -6, -61])
def test_too_much_memory_is_no_error_of_the_device(machine, status):
    shared = unified(machine, device_mem=ALL)
    machine.status = status
    with pytest.raises(MemoryError):
        shared.allocate(64, 1, usm_kind.device)
    assert not shared.known
    gc.collect()
    assert not machine.freed


def test_other_failures_are_told_by_their_names(machine):
    shared = unified(machine, device_mem=ALL)
    machine.status = -34
    with pytest.raises(sycl.exception, match="of kind device.*INVALID_CONTEXT"):
        shared.allocate(64, 1, usm_kind.device)


@pytest.mark.parametrize(("kinds", "told"), [
    ({"device_mem": 1}, [0x4201]),
    ({"device_mem": 1, "host_mem": 1}, [0x4201, 0x4200]),
    ({"device_mem": 1, "host_mem": 1, "single_device_shared_mem": 1}, [0x4201, 0x4200, 0x4202])])
def test_a_kernel_that_follows_pointers_is_told_of_the_kinds_that_there_are(machine, kinds, told):
    shared = unified(machine, **kinds)
    kernel: Any = types.SimpleNamespace(body=())
    shared.reach(types.SimpleNamespace(main=types.SimpleNamespace(int_ptr=3), kernel=kernel), None)
    assert [(what, 1) for what in told] == machine.told


def test_devices_of_a_platform_share_allocations_however_addresses_are_used(monkeypatch):
    loaded = session._Loaded()
    loaded.cl = types.SimpleNamespace(Context=lambda devices: types.SimpleNamespace(),
                                      enqueue_nd_range_kernel=None)
    loaded.api = Loader(None)
    monkeypatch.setattr(session, "_loaded", loaded)
    monkeypatch.setattr(session, "UnifiedApi", lambda cl, platform: "extension")
    device = types.SimpleNamespace(platform=types.SimpleNamespace(get_devices=list))
    plain, other = (session._session(reporting(), device, extension=e, alone=False)
                    for e in (False, True))
    assert plain.context is other.context
    assert plain.allocations is other.allocations
    assert ("extension", loaded.api) == (other.api, plain.api)
    assert other is session._session(reporting(), device, extension=True, alone=False)
    assert plain is not session._session(reporting(), device, extension=False, alone=True)


def part(memory: Any) -> BoundView:
    """Return elements 1 to 3 of memory of 64 bytes, as numbers of 4."""
    return BoundView(memory.view(np.int32), 1, (3,), (1,))


def test_hints_are_commands_over_the_bytes_they_name(machine):
    shared = unified(machine, device_mem=ALL, single_device_shared_mem=ALL)
    made = shared.allocate(64, 4, usm_kind.shared)
    before = types.SimpleNamespace(int_ptr=5)
    for how in ({"advice": None, "to_host": False}, {"advice": None, "to_host": True},
                {"advice": 0x4209, "to_host": False}):
        assert "an event" == shared.hint(part(made), [before], **how)
    at = made.allocation.address + 4
    assert [("migrate", at, 12, 0, 1), ("migrate", at, 12, 1, 1),
            ("advise", at, 12, 0x4209, 1)] == machine.hints


@pytest.mark.parametrize("status", [-30, -59])
def test_a_hint_that_the_driver_does_not_know_ends_with_what_it_waits_for(machine, status):
    shared = unified(machine, single_device_shared_mem=ALL)
    machine.refusing = status
    made = part(shared.allocate(64, 4, usm_kind.shared))
    machine.cl.enqueue_marker = lambda queue, wait_for: ("marker", *wait_for)
    before = types.SimpleNamespace(int_ptr=5)
    for advice in (7, None, 1 << 32):
        assert ("marker", before) == shared.hint(made, [before], advice, to_host=False)
    states: list[int] = []
    machine.cl.UserEvent = lambda context: types.SimpleNamespace(set_status=states.append)
    shared.hint(made, None, 7, to_host=False)
    assert [0] == states
    assert ["advise", "migrate", "advise"] == [what for what, *_ in machine.hints]


def test_a_hint_that_fails_otherwise_raises(machine):
    shared = unified(machine, single_device_shared_mem=ALL)
    machine.refusing = -36
    with pytest.raises(sycl.exception, match="clEnqueueMigrateMemINTEL.*INVALID_COMMAND_QUEUE"):
        shared.hint(part(shared.allocate(64, 4, usm_kind.shared)), None, None, to_host=False)


def test_hints_about_shared_memory_alone_are_for_the_driver(machine):
    shared = unified(machine, device_mem=ALL, host_mem=ALL, single_device_shared_mem=ALL)
    known = [shared.allocate(64, 4, kind) for kind in (usm_kind.host, usm_kind.device)]
    views = [part(np.zeros(64, np.uint8)), *map(part, known)]
    views.append(BoundView(shared.allocate(64, 4, usm_kind.shared), 0, (0,), (1,)))
    assert not any(map(shared.heeds, views))
    assert shared.heeds(part(shared.allocate(64, 4, usm_kind.shared)))
