"""Run a kernel on the host device with nothing above the driver."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from unisycl.backends.base import BoundView, Geometry, Launch, LocalSize
from unisycl.backends.host.driver import HostDriver, make_driver
from unisycl.base.enums import address_space
from unisycl.frontend.specialize import find
from unisycl.ir.types import View, element_type


class Local:
    """Local memory as a kernel captures it."""

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = shape

    def __kernel_type__(self) -> View:
        return View(element_type(self.dtype), len(self.shape), address_space.local_space)


class Memory:
    """Global memory that cannot be indexed outside a kernel, as an accessor."""

    def __init__(self, array: np.ndarray, mode: Any) -> None:
        self.array = array
        self.mode = mode

    def __kernel_type__(self) -> View:
        return View(element_type(self.array.dtype), self.array.ndim, mode=self.mode)

    def get_pointer(self) -> str:
        return "the user's own object"


def bound(array: np.ndarray) -> BoundView:
    """Return a view of all elements of an array."""
    pitches = tuple(s // array.itemsize for s in array.strides)
    return BoundView(array.reshape(-1), 0, array.shape, pitches)


def _bind(raw: Any) -> Any:
    if isinstance(raw, Local):
        return LocalSize(raw.shape)
    if isinstance(raw, Memory):
        return bound(raw.array)
    return bound(raw) if isinstance(raw, np.ndarray) else raw


def make_launch(driver: HostDriver, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
                reductions: tuple[Any, ...] = (), results: tuple[np.ndarray, ...] = ()) -> Launch:
    """Return a launch as the runtime makes it."""
    made, raw = find(function, geometry.kind, len(geometry.global_) or 1, arguments, reductions,
                      geometry.local)
    return Launch(driver.compile(made.kernel, geometry), geometry, tuple(map(_bind, raw)), raw,
                  function, arguments, made.uses,
                  tuple((bound(v), r.initialize) for v, r in zip(results, reductions, strict=True)),
                  reductions)


class Host:
    """A host driver; ``run`` launches, waits, and raises what the kernel failed with."""

    Local = Local
    Memory = Memory

    def __init__(self) -> None:
        self.driver = make_driver()

    def launch(self, function: Any, kind: str, whole: Any, local: Any = (), *arguments: Any,
               deps: tuple[Any, ...] = (), **more: Any) -> Any:
        """Launch without waiting."""
        shape = (whole,) if isinstance(whole, int) else whole
        part = (local,) if isinstance(local, int) else local
        geometry = Geometry(kind, shape, part, more.pop("offset", ()))
        return self.driver.launch(
            make_launch(self.driver, function, geometry, arguments, **more), deps)

    def run(self, *arguments: Any, **more: Any) -> Any:
        """Launch, wait and raise the error if there is one."""
        completion = self.launch(*arguments, **more)
        assert completion.wait(10)
        error = completion.error()
        if error is not None:
            raise error
        return completion

    def range(self, function: Any, whole: Any, *arguments: Any, **more: Any) -> Any:
        """Run over a range."""
        return self.run(function, "range", whole, (), *arguments, **more)

    def nd_range(self, function: Any, whole: Any, local: Any, *arguments: Any, **more: Any) -> Any:
        """Run over an nd_range."""
        return self.run(function, "nd_range", whole, local, *arguments, **more)

    @staticmethod
    def reduction(op: Any, dtype: Any, identity: Any = None, *, initialize: bool = False) -> Any:
        """Return a reduction object."""
        kind = np.dtype(dtype)
        known = None if identity is None else kind.type(identity)
        return SimpleNamespace(op=op, dtype=kind, identity=known, initialize=initialize,
                               extent=1, paired=False, joint=False)


@pytest.fixture
def host() -> Host:
    return Host()
