"""What one OpenCL device reports, as plain data that can be kept on disk.

Non-goals: asking (``probe``) and what follows from it (``info``, ``dialect``). Invariant: two equal
records describe devices that run the same code.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from unisycl.backends.device.facts import Facts

SVM_COARSE, SVM_FINE, SVM_SYSTEM, SVM_ATOMICS = 1, 2, 4, 8
USM_ACCESS, USM_CONCURRENT, USM_CONCURRENT_ATOMICS = 1, 4, 8
ORDER_RELAXED, ORDER_ACQ_REL, ORDER_SEQ_CST = 1, 2, 4
SCOPE_WORK_ITEM, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_ALL = 8, 16, 32, 64
ROUNDED_DIVISION = 128


@dataclasses.dataclass(frozen=True, slots=True)
class Traits:
    """One device of one platform; numbers are OpenCL's own."""

    library: str
    platform: str
    platform_version: str
    name: str
    vendor: str
    version: str
    driver_version: str
    kind: str
    number: int
    c_version: tuple[int, int]
    features: frozenset[str]
    extensions: frozenset[str]
    numbers: dict[str, int]
    item_sizes: tuple[int, ...]
    sub_group_sizes: tuple[int, ...]
    platform_extensions: frozenset[str] = frozenset()
    built_in_kernels: tuple[str, ...] = ()

    def has(self, extension: str) -> bool:
        """Say whether the device reports an extension."""
        return extension in self.extensions

    def feature(self, name: str) -> bool:
        """Say whether OpenCL C has an optional feature here; all of them are part of 2.x."""
        if (2, 0) <= self.c_version < (3, 0):
            return True
        return f"__opencl_c_{name}" in self.features

    def number_of(self, name: str, default: int = 0) -> int:
        """Return a number the device reported."""
        return self.numbers.get(name, default)

    def facts(self) -> Facts:
        """Return what texts and shapes of launches depend on, of any kind of device."""
        return Facts(self.name, self.platform, self.kind,
                     self.number_of("max_work_group_size", 256), self.item_sizes,
                     self.number_of("max_compute_units", 1),
                     self.number_of("native_vector_width_float") == 1,
                     self.number_of("local_mem_size"))

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON has it."""
        plain = dataclasses.asdict(self)
        return {k: sorted(v) if isinstance(v, frozenset) else v for k, v in plain.items()}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Traits:
        """Return a record from its JSON form."""
        made = dict(plain)
        for name in ("features", "extensions", "platform_extensions"):
            made[name] = frozenset(made.get(name, ()))
        for name in ("c_version", "item_sizes", "sub_group_sizes", "built_in_kernels"):
            made[name] = tuple(made.get(name, ()))
        return cls(**made)


def language(traits: Traits) -> str:
    """Return the version of OpenCL C to compile as."""
    if traits.c_version >= (3, 0):
        return "CL3.0"
    return "CL2.0" if traits.c_version >= (2, 0) else "CL1.2"
