"""Modules and launches.

Non-goals: code.
"""

from __future__ import annotations

from typing import Any

from tests.cuda_fake.core import (
    ILLEGAL_ADDRESS,
    INVALID_IMAGE,
    INVALID_VALUE,
    OUT_OF_RESOURCES,
    Core,
    number,
    store,
)
from unisycl.backends.cuda.api import LaunchConfig


class Modules(Core):
    """Functions about modules and kernels."""

    def _cuModuleLoadData(self, out: Any, image: Any) -> int:
        raw = image.value if hasattr(image, "value") else image
        if raw not in self.kernels:
            return INVALID_IMAGE
        store(out, value := next(self._numbers))
        self._modules[value] = raw
        return 0

    def _cuModuleUnload(self, module: Any) -> None:
        if self._modules.pop(number(module), None) is None:
            self.misuse.append("a module unloaded that is none")

    def _cuModuleGetFunction(self, out: Any, module: Any, name: bytes) -> int:
        store(out, value := next(self._numbers))
        self._functions[value] = self._modules[number(module)], name
        return 0

    def _cuFuncGetAttribute(self, out: Any, attribute: int, function: Any) -> None:
        most = self.bounds.get(self._functions[number(function)], 1024)
        store(out, {0: most, 1: 0, 4: 32}[attribute])

    def _cuFuncSetAttribute(self, function: Any, attribute: int, value: int) -> int:
        return 0 if value <= 232448 else INVALID_VALUE

    def _cuOccupancyMaxActiveBlocksPerMultiprocessor(self, out: Any, *args: Any) -> None:
        store(out, 2)

    def _cuLaunchKernel(self, function: Any, *args: Any) -> int:
        self._entered("cuLaunchKernel")
        *sizes, shared, stream, params, _extra = args
        plain = tuple(map(number, sizes))
        self._inside_of(stream, "cuLaunchKernel")
        image, name = self._functions[number(function)]
        items = plain[3] * plain[4] * plain[5]
        if min(plain) < 1 or max(plain[1:3]) > 65535 or items > 1024:
            return INVALID_VALUE
        if items > self.bounds.get((image, name), 1024):
            return OUT_OF_RESOURCES
        self.launches.append((*plain, number(shared)))
        self.streams.append(number(stream))
        work = self.kernels[image](name.decode(), plain, number(shared), params)

        def do() -> bool:
            try:
                work()
            except MemoryError:
                self.lost = ILLEGAL_ADDRESS
            return True

        self._stream(stream).waiting.append(do)
        return 0

    def _cuLaunchKernelEx(self, config: Any, function: Any, params: Any, _extra: Any) -> int:
        given = LaunchConfig.from_address(number(config))
        if given.numAttrs or given.attrs:
            return INVALID_VALUE
        sizes = (given.gridDimX, given.gridDimY, given.gridDimZ, given.blockDimX, given.blockDimY,
                 given.blockDimZ, given.sharedMemBytes)
        return self._cuLaunchKernel(function, *sizes, given.hStream, params, None)

    def _cuLaunchCooperativeKernel(self, function: Any, *args: Any) -> int:
        return self._cuLaunchKernel(function, *args, None)
