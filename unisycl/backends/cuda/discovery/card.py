"""What NVIDIA's driver reports of one card, or of a part of one in MIG mode.

Non-goals: what follows from it (``info``). Invariant: plain data; nothing here needs a context.
"""

from __future__ import annotations

import ctypes
import uuid
from dataclasses import dataclass, field

from unisycl.backends.cuda.api import Api
from unisycl.backends.cuda.discovery.library import no_devices, version_text
from unisycl.backends.cuda.errors import result_name
from unisycl.backends.device.facts import Facts

PLATFORM = "NVIDIA CUDA BACKEND"  # "NVIDIA CUDA" is its platform of OpenCL
OLDEST = (7, 0)
"""The compute capability from which on work-items are scheduled one by one."""
_ATTRIBUTES = {
    "max_threads": 1, "block_x": 2, "block_y": 3, "block_z": 4, "grid_x": 5, "grid_y": 6,
    "grid_z": 7, "shared": 8, "constant": 9, "warp": 10, "clock": 13, "units": 16,
    "integrated": 18, "mapped": 19, "mode": 20, "concurrent": 31, "ecc": 32, "bus": 33,
    "memory_clock": 36, "memory_bits": 37, "l2": 38, "unit_threads": 39, "engines": 40,
    "unified": 41, "major": 75, "minor": 76, "managed": 83, "host_atomics": 86, "pageable": 88,
    "concurrent_managed": 89, "own_address": 91, "cooperative": 95, "shared_most": 97,
    "texture_align": 14, "texture_pitch": 51, "texture_width": 70, "texture_height": 71,
    "texture_row": 72, "registers_host": 99, "virtual": 102, "unit_blocks": 106,
    "read_only_pages": 113, "pools": 115, "ipc": 125,
}
_UNKNOWN = 1  # CUDA_ERROR_INVALID_VALUE: an attribute that this driver does not know
_LOADS = 8  # of 4 bytes: what is under way in all items is twice what hides the memory's latency
_FIXED_LOCAL = 40 << 10  # of 48 KiB that texts may have; they declare some for themselves
_PROHIBITED = 2


@dataclass(frozen=True, slots=True)
class Card:
    """One device of CUDA's; ``numbers`` are its attributes by our names."""

    ordinal: int
    name: str
    identity: str
    memory: int
    driver: str
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str, default: int = 0) -> int:
        """Return an attribute."""
        return self.numbers.get(name, default)

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability."""
        return self.number("major"), self.number("minor")

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a card in MIG mode."""
        return " MIG " in f"{self.name} "

    def facts(self) -> Facts:
        """Return what texts and shapes of launches depend on, of any kind of device."""
        return Facts(self.name, PLATFORM, "gpu", self.number("max_threads", 1024),
                     (self.number("block_x", 1024), self.number("block_y", 1024),
                      self.number("block_z", 64)),
                     self.number("units", 1), True, self.number("shared", 48 << 10), starts=True,
                     most_groups=(self.number("grid_x", 65535), self.number("grid_y", 65535),
                                  self.number("grid_z", 65535)),
                     few=True, fixed_local=_FIXED_LOCAL, loads=_LOADS)

    def problem(self) -> str:
        """Return why it cannot be used; '' if it can."""
        if self.number("mode") == _PROHIBITED:
            return (f"{self.name}: no process may use it (compute mode 'prohibited'; "
                    "nvidia-smi -c DEFAULT lets them)")
        if self.capability < OLDEST:
            return (f"{self.name}: its compute capability is {self.number('major')}."
                    f"{self.number('minor')}, and {OLDEST[0]}.{OLDEST[1]} is the oldest that "
                    "kernels are compiled for here; use it by another backend")
        return "" if self.number("unified", 1) else f"{self.name}: it has no unified addresses"


def cards(api: Api) -> tuple[list[Card], dict[str, str]]:
    """Return the cards that can be used, and why others cannot, by their numbers."""
    found, problems = [], {}
    count = api.number("cuDeviceGetCount")
    if not count:
        problems[""] = no_devices()
    version = version_text(api.number("cuDriverGetVersion"))
    for ordinal in range(count):
        card = _card(api, ordinal, version)
        why = card if isinstance(card, str) else card.problem()
        if why:
            problems[str(ordinal)] = why
        elif isinstance(card, Card):
            found.append(card)
    return found, problems


def _card(api: Api, ordinal: int, version: str) -> Card | str:
    """Return a card, or what is wrong with it."""
    device = ctypes.c_int()
    result = api.attempt("cuDeviceGet", ctypes.byref(device), ordinal)
    if result:
        return f"cuDeviceGet gives {result_name(result)}"
    numbers: dict[str, int] = {}
    out = ctypes.c_int()
    for name, number in _ATTRIBUTES.items():
        result = api.attempt("cuDeviceGetAttribute", ctypes.byref(out), number, device.value)
        if result == 0:
            numbers[name] = out.value
        elif result != _UNKNOWN:
            return f"cuDeviceGetAttribute gives {result_name(result)}"
    raw = (ctypes.c_ubyte * 16)()
    named = api.attempt("cuDeviceGetUuid_v2", raw, device.value) == 0
    return Card(ordinal, api.text("cuDeviceGetName", device.value),
                str(uuid.UUID(bytes=bytes(raw))) if named else "",
                api.address("cuDeviceTotalMem_v2", device.value), version, numbers)
