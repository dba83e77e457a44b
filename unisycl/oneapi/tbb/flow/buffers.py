"""Nodes that keep messages, pass them on, or let only some through.

Non-goals: bodies. Invariant: a message that no successor takes stays, and each goes to one
successor; ``broadcast_node``, ``overwrite_node`` and ``write_once_node`` send to all.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.tbb.flow.graphs import Node, Sender, Waiting, graph, later


class broadcast_node(Node):
    """Sends each message to all successors at once, and keeps none."""

    def put(self, message: Any, sender: Sender | None) -> bool:
        self.out.send(message)
        return True


class Keeping(Node):
    """A node that gives each message to one successor, in some order."""

    def keep(self, message: Any) -> None:
        """Put a message away."""
        raise NotImplementedError

    def first(self) -> tuple[bool, Any]:
        """Take the message whose turn it is out, if there is one."""
        raise NotImplementedError

    def give_back(self, message: Any) -> None:
        """Put a message that nobody took where it was."""
        self.keep(message)

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            self.keep(message)
        later(self.graph, self.joined)
        return True

    def joined(self) -> None:
        """Give away what successors take."""
        with self.graph.lock:
            while True:
                there, message = self.first()
                if not there:
                    return
                if not any(r.put(message, self) for r in list(self.out.successors)):
                    self.give_back(message)
                    return

    def take(self) -> tuple[bool, Any]:
        """Return whether there is a message, and which; it is gone then."""
        with self.graph.lock:
            return self.first()

    def try_get(self, default: Any = None) -> Any:
        """Take a message out; where there is none return ``default``."""
        there, message = self.take()
        return message if there else default


class queue_node(Keeping):
    """Keeps messages in the order they came."""

    def __init__(self, of: graph) -> None:
        super().__init__(of)
        self.kept = deque[Any]()

    def keep(self, message: Any) -> None:
        self.kept.append(message)

    def give_back(self, message: Any) -> None:
        self.kept.appendleft(message)

    def first(self) -> tuple[bool, Any]:
        return (True, self.kept.popleft()) if self.kept else (False, None)

    def reset(self) -> None:
        self.kept.clear()


class buffer_node(queue_node):
    """Keeps messages; in which order they go on is not promised."""


class priority_queue_node(Keeping):
    """Gives the greatest message first.

    Args:
        of: the graph.
        key: what messages are compared by; left out, they themselves.
    """

    def __init__(self, of: graph, key: Callable[[Any], Any] | None = None) -> None:
        super().__init__(of)
        self.key = key or (lambda message: message)
        self.kept: list[_Greater] = []
        self.numbers = itertools.count()

    def keep(self, message: Any) -> None:
        heapq.heappush(self.kept, _Greater(self.key(message), next(self.numbers), message))

    def first(self) -> tuple[bool, Any]:
        return (True, heapq.heappop(self.kept).message) if self.kept else (False, None)

    def reset(self) -> None:
        self.kept.clear()


class _Greater:
    __slots__ = ("key", "message", "number")

    def __init__(self, key: Any, number: int, message: Any) -> None:
        self.key, self.number, self.message = key, number, message

    def __lt__(self, other: _Greater) -> bool:
        return bool(other.key < self.key) or (
            not self.key < other.key and self.number < other.number)


class sequencer_node(Keeping):
    """Gives messages in the order of their numbers, from 0, whenever they come.

    Args:
        of: the graph.
        number: a function that says a message's number.
    """

    def __init__(self, of: graph, number: Callable[[Any], int]) -> None:
        super().__init__(of)
        if not callable(number):
            refuse("sequencer_node", "a function that says a message's number is needed, got "
                   f"{number!r}")
        self.number, self.next = number, 0
        self.kept: dict[int, Any] = {}

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            k = self.number(message)
            if k < self.next or k in self.kept:
                return False
        return super().put(message, sender)

    def keep(self, message: Any) -> None:
        self.kept[self.number(message)] = message

    def give_back(self, message: Any) -> None:
        self.next -= 1
        self.keep(message)

    def first(self) -> tuple[bool, Any]:
        if self.next not in self.kept:
            return False, None
        self.next += 1
        return True, self.kept.pop(self.next - 1)

    def reset(self) -> None:
        self.kept.clear()
        self.next = 0


class overwrite_node(Node):
    """Keeps the last message, and sends it to successors that come later, too."""

    def __init__(self, of: graph) -> None:
        super().__init__(of)
        self.kept = list[Any]()

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            self.kept = [message]
        self.out.send(message)
        return True

    def joined(self) -> None:
        """Send what is kept to the successor that came."""
        if self.kept:
            self.out.successors[-1].put(self.kept[0], None)

    def is_valid(self) -> bool:
        """Say whether there is a message."""
        return bool(self.kept)

    def try_get(self, default: Any = None) -> Any:
        """Return the message, which stays; where there is none ``default``."""
        return self.kept[0] if self.kept else default

    def clear(self) -> None:
        """Forget the message."""
        self.kept = []

    def reset(self) -> None:
        self.kept = []


class write_once_node(overwrite_node):
    """Keeps the first message; further ones are not taken."""

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            return not self.kept and super().put(message, sender)


class limiter_node(Node):
    """Lets so many messages through until its ``decrementer`` hears that some are done.

    What no successor takes then is kept for them.

    Args:
        of: the graph.
        threshold: how many may be on the way.
    """

    def __init__(self, of: graph, threshold: int) -> None:
        super().__init__(of)
        self.threshold = whole("limiter_node", "threshold", threshold, 1)
        self.waiting, self.count = Waiting(), 0
        self.kept = deque[Any]()
        self.decrementer = _Decrementer(self)

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            if self.count >= self.threshold:
                self.waiting.note(sender)
                return False
            self.count += 1
            self._pass(message)
        return True

    def _pass(self, message: Any) -> None:
        """Send a message that counts; keep it for a successor that takes none now."""
        with self.graph.lock:
            if self.kept or not self.out.offer(message, self):
                self.kept.append(message)

    def joined(self) -> None:
        """Give a successor that came what is kept."""
        with self.graph.lock:
            kept, self.kept = self.kept, deque()
            for message in kept:
                self._pass(message)

    def take(self) -> tuple[bool, Any]:
        """Return whether there is a message that was not taken, and which; it is gone then."""
        with self.graph.lock:
            return (True, self.kept.popleft()) if self.kept else (False, None)

    def done(self, count: int) -> None:
        """Let as many more through."""
        with self.graph.lock:
            self.count = max(0, self.count - count)
        while True:
            with self.graph.lock:
                there, message = (False, None) if self.count >= self.threshold \
                    else self.waiting.next()
                self.count += there
                if not there:
                    return
                self._pass(message)

    def reset(self) -> None:
        self.count = 0
        self.kept.clear()
        self.waiting.senders.clear()


class _Decrementer(Node):
    """Takes a message for one that is done; a whole number for so many."""

    def __init__(self, owner: limiter_node) -> None:
        super().__init__(owner.graph)
        self.owner = owner

    def put(self, message: Any, sender: Sender | None) -> bool:
        count = message if isinstance(message, int) and not isinstance(message, bool) else 1
        later(self.graph, self.owner.done, count)
        return True
