"""Cards, and whose context is current in a thread.

Non-goals: contexts other than primary ones.
"""

from __future__ import annotations

from typing import Any

from tests.cuda_fake.core import INVALID_VALUE, Core, number, store


class Devices(Core):
    """Functions about cards and contexts."""

    def _cuInit(self, flags: Any) -> int:
        return 0 if self.cards else 100

    def _cuDriverGetVersion(self, out: Any) -> None:
        store(out, self.version)

    def _cuDeviceGetCount(self, out: Any) -> None:
        store(out, len(self.cards))

    def _cuDeviceGet(self, out: Any, ordinal: int) -> int:
        store(out, ordinal)
        return 0 if ordinal < len(self.cards) else 101

    def _cuDeviceGetName(self, out: Any, size: int, device: int) -> None:
        out.value = self.name.encode()

    def _cuDeviceGetUuid_v2(self, out: Any, device: int) -> None:
        out[15] = device + 1

    def _cuDeviceGetAttribute(self, out: Any, attribute: int, device: int) -> int:
        known = self.cards[device]
        if attribute not in known:
            return INVALID_VALUE
        store(out, known[attribute])
        return 0

    def _cuDeviceTotalMem_v2(self, out: Any, device: int) -> None:
        store(out, self.memory)

    def _cuDeviceGetPCIBusId(self, out: Any, size: int, device: int) -> None:
        out.value = b"0000:01:00.0"

    def _cuDevicePrimaryCtxRetain(self, out: Any, device: int) -> None:
        store(out, 0x1000 + device)

    def _cuCtxSetCurrent(self, context: Any) -> None:
        self._stack()[-1] = number(context)

    def _cuCtxPushCurrent_v2(self, context: Any) -> None:
        self._stack().append(number(context))

    def _cuCtxPopCurrent_v2(self, out: Any) -> None:
        store(out, self._stack().pop())

    def _cuDeviceCanAccessPeer(self, out: Any, device: int, peer: int) -> int:
        if device == peer or max(device, peer) >= len(self.cards):
            return 101
        store(out, int((device, peer) not in self.apart))
        return 0

    def _cuDeviceGetP2PAttribute(self, out: Any, attribute: int, device: int, peer: int) -> int:
        if attribute != 3:
            return INVALID_VALUE
        store(out, 1)
        return 0

    def _cuCtxEnablePeerAccess(self, peer: Any, flags: int) -> int:
        pair = self._stack()[-1], number(peer)
        if 0 in pair or pair[0] == pair[1] or flags:
            return INVALID_VALUE
        if (pair[0] - 0x1000, pair[1] - 0x1000) in self.apart:
            return 217
        if pair in self.enabled:
            return 704
        if any(s.waiting and s.context in pair for s in self._streams.values()):
            self.misuse.append("memory opened to another card while one of the two works")
        self.enabled.add(pair)
        return 0

    def _cuCtxDisablePeerAccess(self, peer: Any) -> int:
        pair = self._stack()[-1], number(peer)
        if pair not in self.enabled:
            return 705
        self.enabled.discard(pair)
        return 0

    def _cuCtxSynchronize(self) -> None:
        self._entered("cuCtxSynchronize")
        self.run()
