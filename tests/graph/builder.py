"""Build command groups on the null device in one line each, and ask what the graph made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.api.devices.device import device
from unisycl.backends.null.driver import NullDriver, Record
from unisycl.runtime.devices.devices import DeviceState


def null_device(driver: NullDriver, name: str = "null") -> sycl.device:
    """Return a device of its own platform on a null driver."""
    return device._of(DeviceState(name, driver, driver.devices()[0], name))


class GroupBuilder:
    """One command group: ``g.task("a").reads(b).writes(c).submit()``."""

    def __init__(self, graph: Graph, name: str, queue: sycl.queue) -> None:
        self._graph, self._name, self._queue = graph, name, queue
        self._accesses: list[tuple[Any, ...]] = []
        self._after: list[sycl.event] = []

    def reads(self, buffer: sycl.buffer, *more: Any) -> GroupBuilder:
        self._accesses.append((buffer, sycl.read_only, *more))
        return self

    def writes(self, buffer: sycl.buffer, *more: Any) -> GroupBuilder:
        self._accesses.append((buffer, sycl.write_only, *more))
        return self

    def updates(self, buffer: sycl.buffer, *more: Any) -> GroupBuilder:
        self._accesses.append((buffer, sycl.read_write, *more))
        return self

    def after(self, *events: sycl.event) -> GroupBuilder:
        self._after += events
        return self

    def submit(self) -> sycl.event:
        """Submit a kernel with these accesses; the driver's record gets the group's name."""
        def group(h: sycl.handler) -> None:
            for buffer, *rest in self._accesses:
                sycl.accessor(buffer, h, *rest)
            h.depends_on(self._after)
            h.single_task(lambda: None)
        driver = self._graph.driver_of(self._queue)
        before = len(driver.records)
        event = self._queue.submit(group)
        self._graph.names[event.task] = self._name
        if len(driver.records) > before:
            self._graph.launched[self._name] = driver.records[-1]
        return event


class Graph:
    """A null driver, a queue on it, and the names of what was submitted."""

    def __init__(self, *, in_order: bool = False) -> None:
        self.driver = NullDriver()
        properties = [sycl.property.queue.in_order()] if in_order else []
        self.queue = sycl.queue(null_device(self.driver), properties)
        self.names: dict[Any, str] = {}
        self.launched: dict[str, Record] = {}
        self._drivers = {self.queue: self.driver}

    def other_queue(self) -> sycl.queue:
        """Return a queue on a driver of its own, to which nothing can be passed natively."""
        driver = NullDriver()
        queue = sycl.queue(null_device(driver, "other"))
        self._drivers[queue] = driver
        return queue

    def driver_of(self, queue: sycl.queue) -> NullDriver:
        return self._drivers[queue]

    def buffer(self, count: int = 64) -> sycl.buffer:
        return sycl.buffer(sycl.range(count), dtype=np.uint8)

    def task(self, name: str, queue: sycl.queue | None = None) -> GroupBuilder:
        return GroupBuilder(self, name, queue or self.queue)

    def waits_for(self, name: str) -> set[str]:
        """Return the commands that the driver was told to order a launch after."""
        other = {r.completion: n for n, r in self.launched.items()}
        return {other[d] for d in self.launched[name].deps}

    def predecessors(self, event: sycl.event) -> set[str]:
        return {self.names[e.task] for e in event.get_wait_list() if e.task in self.names}

    def finish(self, *names: str) -> None:
        for name in names:
            self.launched[name].completion.finish()

    def end(self) -> None:
        for driver in self._drivers.values():
            driver.automatic = True
            driver.finish_all()
        for queue in self._drivers:
            queue.wait()
