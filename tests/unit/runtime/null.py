"""A channel, a device and a queue on a null driver, for tests of the runtime."""

from __future__ import annotations

import dataclasses
from typing import Any

from unisycl.api.devices.device import device
from unisycl.api.queue.queue import queue
from unisycl.backends.null.driver import INFO, NullDriver
from unisycl.runtime.devices.devices import ContextState, DeviceState
from unisycl.runtime.graph.channel import Channel


def state(driver: NullDriver | None = None, **changes: Any) -> DeviceState:
    info = dataclasses.replace(INFO, **changes)
    return DeviceState("null", driver or NullDriver(automatic=True), info, "null")


def channel(driver: NullDriver | None = None, **options: Any) -> Channel:
    where = state(driver)
    return Channel(where, ContextState((where,)), **options)


def null_queue(driver: NullDriver | None = None, *args: Any, **changes: Any) -> queue:
    return queue(device._of(state(driver, **changes)), *args)
