"""Nodes with several ports: joins of messages to tuples, and tuples taken apart.

Non-goals: bodies. Invariant: a join makes a tuple of one message of each port; which ones belong
together its policy says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.tbb.flow.functions import Outlet
from unisycl.oneapi.tbb.flow.graphs import Node, Receiver, Sender, graph, later

queueing, reserving, key_matching = "queueing", "reserving", "key_matching"


class join_node:
    """Makes tuples of messages that come in at several ports (``input_port``).

    Args:
        of: the graph.
        ports: how many ports there are.
        policy: ``queueing`` joins the first message of each port; ``reserving`` leaves messages
            with who has them until there is one for each port; ``key_matching`` joins those of one
            key.
        keys: a function for each port that says a message's key, for ``key_matching``.
    """

    def __init__(self, of: graph, ports: int, policy: str = queueing,
                 keys: Sequence[Callable[[Any], Any]] = ()) -> None:
        count = whole("join_node", "ports", ports, 1)
        if policy not in (queueing, reserving, key_matching):
            refuse("join_node", "the policy is queueing, reserving or key_matching, got "
                   f"{policy!r}")
        if (policy == key_matching) != bool(keys) or (keys and len(keys) != count):
            refuse("join_node", "key_matching, and it alone, needs a key function for each port")
        self.node = Node(of)
        self.node.reset = self.reset  # type: ignore[method-assign]
        self.graph, self.out, self.policy = of, self.node.out, policy
        self.keys = tuple(keys)
        self.inputs: tuple[Receiver, ...] = tuple(_Entry(self, k) for k in range(count))
        self.reset()

    def reset(self) -> None:
        """Forget all messages."""
        self.kept: list[deque[Any]] = [deque() for _ in self.inputs]
        self.senders: list[deque[Sender]] = [deque() for _ in self.inputs]
        self.matches: dict[Any, dict[int, Any]] = {}

    def came(self, k: int, message: Any, sender: Sender | None) -> bool:
        """Take a message of a port, and send a tuple where one is whole."""
        with self.graph.lock:
            if self.policy == key_matching:
                key = self.keys[k](message)
                row = self.matches.setdefault(key, {})
                if k in row:
                    return False
                row[k] = message
                if len(row) == len(self.inputs):
                    del self.matches[key]
                    self.out.send(tuple(row[j] for j in range(len(self.inputs))))
                return True
            if self.policy == reserving and sender is not None:
                self.senders[k].append(sender)
                later(self.graph, self._reserve)
                return False
            self.kept[k].append(message)
            if self.policy == reserving:
                later(self.graph, self._reserve)
            elif all(self.kept):
                self.out.send(tuple(row.popleft() for row in self.kept))
            return True

    def _reserve(self) -> None:
        """Take a message of each port if each has one, as often as they have; else take none."""
        with self.graph.lock:
            while all(kept or senders for kept, senders in zip(
                    self.kept, self.senders, strict=True)):
                asked = [k for k in range(len(self.inputs)) if not self.kept[k] and self._ask(k)]
                if all(self.kept):
                    self.out.send(tuple(row.popleft() for row in self.kept))
                    continue
                for k in asked:
                    back = getattr(self.senders[k][0], "give_back", None)
                    if back is not None:  # others may take it meanwhile
                        back(self.kept[k].popleft())

    def _ask(self, k: int) -> bool:
        """Take a message from who has one for a port; forget who has none."""
        there, message = self.senders[k][0].take()
        if there:
            self.kept[k].append(message)
        else:
            self.senders[k].popleft()
        return there

    def __repr__(self) -> str:
        return f"<join_node of {len(self.inputs)} ports, {self.policy}>"


class _Entry(Receiver):
    """One port of a join."""

    def __init__(self, owner: join_node, k: int) -> None:
        self.owner, self.k, self.graph = owner, k, owner.graph

    def put(self, message: Any, sender: Sender | None) -> bool:
        return self.owner.came(self.k, message, sender)


class split_node(Node):
    """Sends each member of a tuple to a port of its own (``output_port``).

    Args:
        of: the graph.
        ports: how many members tuples have.
    """

    def __init__(self, of: graph, ports: int) -> None:
        super().__init__(of)
        self.ports = tuple(Outlet(self) for _ in range(whole("split_node", "ports", ports, 1)))
        del self.out

    def put(self, message: Any, sender: Sender | None) -> bool:
        if len(message) != len(self.ports):
            refuse("split_node", f"a message has {len(message)} members, the node "
                   f"{len(self.ports)} ports")
        for port, part in zip(self.ports, message, strict=True):
            port.send(part)
        return True

    def __repr__(self) -> str:
        return f"<split_node with {len(self.ports)} ports>"


class tagged_msg(NamedTuple):
    """A message of an ``indexer_node``: which port it came in at, and what it is."""

    tag: int
    value: Any


class indexer_node:
    """Sends what comes in at any of its ports, with the port's number: ``tagged_msg``.

    Args:
        of: the graph.
        ports: how many ports there are.
    """

    def __init__(self, of: graph, ports: int) -> None:
        self.node = Node(of)
        self.graph, self.out = of, self.node.out
        self.inputs: tuple[Receiver, ...] = tuple(
            _Tagging(self, k) for k in range(whole("indexer_node", "ports", ports, 1)))

    def __repr__(self) -> str:
        return f"<indexer_node with {len(self.inputs)} ports>"


class _Tagging(Receiver):
    def __init__(self, owner: indexer_node, k: int) -> None:
        self.owner, self.k, self.graph = owner, k, owner.graph

    def put(self, message: Any, sender: Sender | None) -> bool:
        self.owner.out.send(tagged_msg(self.k, message))
        return True
