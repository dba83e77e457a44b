"""Memory, copies and fills.

Non-goals: migration of managed memory.
"""

from __future__ import annotations

import ctypes
from typing import Any

from tests.cuda_fake.core import INVALID_VALUE, OUT_OF_MEMORY, Core, number, store
from unisycl.backends.cuda.api import Access


class Memory(Core):
    """Functions about memory."""

    def _used(self) -> int:
        return sum(size for _, size, kind in list(self._blocks.values())
                   if kind not in ("host", "pages"))

    def _give(self, out: Any, size: int, kind: str) -> int:
        self._entered("an allocation")
        if not size or (kind != "host" and self._used() + size > self.memory):
            return OUT_OF_MEMORY if size else INVALID_VALUE
        block = ctypes.create_string_buffer(b"\xa5" * min(size, 4096), size + 512)
        address = -(-ctypes.addressof(block) // 512) * 512
        self._blocks[address] = block, size, kind
        self._homes[address] = self._stack()[-1]
        store(out, address)
        return 0

    def _take(self, address: Any, kinds: tuple[str, ...]) -> int:
        found = self._blocks.get(number(address))
        if number(address) in self.gone:
            return INVALID_VALUE
        if found is None or found[2] not in kinds:
            self.misuse.append(f"{number(address):#x} is freed, which is none of {kinds}")
            return INVALID_VALUE
        del self._blocks[number(address)]
        return 0

    def _cuMemAlloc_v2(self, out: Any, size: int) -> int:
        return self._give(out, size, "device")

    def _cuMemAllocAsync(self, out: Any, size: int, stream: Any) -> int:
        self._stream(stream)
        result = self._give(out, size, "device")
        self.pooled.add(number(out._obj))
        return result

    def _cuMemHostAlloc(self, out: Any, size: int, flags: int) -> int:
        return self._give(out, size, "host")

    def _cuMemAllocManaged(self, out: Any, size: int, flags: int) -> int:
        return self._give(out, size, "managed")

    def _cuMemFree_v2(self, address: Any) -> int:
        return self._take(address, ("device", "managed"))

    def _cuMemFreeAsync(self, address: Any, stream: Any) -> int:
        self._stream(stream)
        return self._take(address, ("device",))

    def _cuMemFreeHost(self, address: Any) -> int:
        return self._take(address, ("host",))

    def _cuMemHostRegister_v2(self, at: int, size: int, flags: int) -> int:
        self._entered("pages that are pinned")
        if at % 4096 or size % 4096:
            self.misuse.append("parts of pages are pinned")
        if any(a < at + size and at < a + n and kind == "managed"
               for a, (_, n, kind) in self._blocks.items()):
            return INVALID_VALUE
        ends = [(a, a + n) for a, (_, n, kind) in self._blocks.items() if kind == "pages"]
        if any(a < at + size and at < b for a, b in ends):
            return 712
        self._blocks[at] = None, size, "pages"
        return 0

    def _cuMemHostUnregister(self, at: int) -> int:
        return self._take(at, ("pages",))

    def _cuMemGetInfo_v2(self, free: Any, total: Any) -> None:
        store(free, self.memory - self._used())
        store(total, self.memory)

    def _cuDeviceGetDefaultMemPool(self, out: Any, device: int) -> None:
        store(out, 0x2000 + device)

    def _cuMemPoolSetAttribute(self, pool: Any, attribute: int, value: Any) -> None:
        assert attribute == 4

    def _cuMemPoolTrimTo(self, pool: Any, size: int) -> None:
        pass

    def _cuMemcpyAsync(self, dst: Any, src: Any, size: int, stream: Any) -> int:
        to, start = number(dst), number(src)
        if not self._inside(to, size) and not self._inside(start, size):
            self.misuse.append("a copy between memory that is all the host's own")
        if not self._inside(to, size):  # the driver returns when the last byte is there
            self._finish(self._stream(stream))
            ctypes.memmove(to, start, size)
            return self.lost
        if not self._inside(start, size):
            start_of = ctypes.create_string_buffer(ctypes.string_at(start, size), size)
            return self._later(stream, lambda: ctypes.memmove(to, start_of, size))
        return self._later(stream, lambda: ctypes.memmove(to, start, size))

    def home(self, address: int) -> int:
        """Return the context that an address is of, 0 for none."""
        return next((self._homes.get(a, 0) for a, (_, n, _) in list(self._blocks.items())
                     if a <= address < a + n), 0)

    def reached(self, address: int, context: int) -> bool:
        """Say whether kernels of a context may use an address: of their card's, or of a peer's."""
        at = self.home(address)
        kind = self._inside(address, 1)
        return kind != "device" or at == context or {
            (context, at), (context - 0x1000, at + 0x1000)} <= self.enabled  # a card's pool

    def _cuMemcpyPeerAsync(self, dst: Any, to: Any, src: Any, of: Any, size: int, stream: Any,
                           ) -> int:
        a, b = number(dst), number(src)
        if (self.home(a), self.home(b)) != (number(to), number(of)):
            self.misuse.append("a copy between cards with contexts of others")
        if self._inside(a, size) != "device" or self._inside(b, size) != "device":
            return INVALID_VALUE
        if not self.reached(b, number(to)):
            self.misuse.append("a copy between cards that goes by the host")
        return self._later(stream, lambda: ctypes.memmove(a, b, size))

    def _cuMemPoolSetAccess(self, pool: Any, access: Any, count: int) -> int:
        given = access._obj
        assert isinstance(given, Access)
        if count != 1 or given.type != 1 or given.flags not in (0, 3):
            return INVALID_VALUE
        (self.enabled.add if given.flags else self.enabled.discard)((given.id, number(pool)))
        return 0

    def _cuMemcpy2DAsync_v2(self, what: Any, stream: Any) -> int:
        c = what._obj
        assert c.srcMemoryType == c.dstMemoryType == 4
        if c.srcPitch < c.WidthInBytes or c.dstPitch < c.WidthInBytes:
            return INVALID_VALUE
        rows = [(c.dstDevice + k * c.dstPitch, c.srcDevice + k * c.srcPitch)
                for k in range(c.Height)]
        width = c.WidthInBytes
        return self._later(stream, lambda: [ctypes.memmove(a, b, width) for a, b in rows])

    def _set(self, address: Any, value: int, count: int, stream: Any, size: int) -> int:
        at = number(address)
        if at % size or not self._inside(at, size * count):
            return INVALID_VALUE
        raw = value.to_bytes(size, "little") * count
        return self._later(stream, lambda: ctypes.memmove(at, raw, len(raw)))

    def _cuMemsetD8Async(self, address: Any, value: int, count: int, stream: Any) -> int:
        return self._set(address, value, count, stream, 1)

    def _cuMemsetD16Async(self, address: Any, value: int, count: int, stream: Any) -> int:
        return self._set(address, value, count, stream, 2)

    def _cuMemsetD32Async(self, address: Any, value: int, count: int, stream: Any) -> int:
        return self._set(address, value, count, stream, 4)

    def _cuMemPrefetchAsync(self, address: Any, size: int, device: int, stream: Any) -> int:
        if self._inside(number(address), size) != "managed":
            return INVALID_VALUE
        return self._later(stream, lambda: None)

    def _cuMemAdvise(self, address: Any, size: int, advice: int, device: int) -> int:
        known = self._inside(number(address), size) == "managed" and 1 <= advice <= 6
        return 0 if known else INVALID_VALUE

    def _cuPointerGetAttribute(self, out: Any, attribute: int, address: Any) -> int:
        kind = self._inside(number(address), 1)
        if not kind:
            return INVALID_VALUE
        start, size = next((a, n) for a, (_, n, _) in list(self._blocks.items())
                           if a <= number(address) < a + n)
        store(out, {2: 1 if kind == "host" else 2, 11: start, 12: size}.get(attribute, 0))
        return 0
