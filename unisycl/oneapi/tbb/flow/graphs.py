"""A graph of nodes that send one another messages, and what joins its nodes.

Non-goals: what nodes do. Invariants: the graph has ended when no node runs and nothing is awaited
from outside; messages between two nodes keep their order where the nodes take one at a time.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, Protocol

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.tbb.groups import batch_of, task_group_context


class Sender(Protocol):
    """What keeps messages until somebody takes them."""

    def take(self) -> tuple[bool, Any]:
        """Return whether there is a message, and which."""


class Receiver:
    """What messages are sent to. ``put`` says whether one was taken."""

    graph: graph

    def put(self, message: Any, sender: Sender | None) -> bool:
        """Take a message, or remember who has it and return False."""
        raise NotImplementedError

    def counts(self, change: int) -> None:
        """Hear of an edge that was made (1) or removed (-1)."""

    def try_put(self, message: Any = None) -> bool:
        """Send a message from outside the graph; return whether it was taken."""
        return self.put(message, None)


class Port:
    """Where messages leave a node."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.successors: list[Receiver] = []

    def send(self, message: Any) -> bool:
        """Give a message to all successors; one that does not take it loses it.

        Returns whether any took it.
        """
        taken = [receiver.put(message, None) for receiver in list(self.successors)]
        return any(taken)

    def offer(self, message: Any, sender: Sender) -> bool:
        """Give a message to all successors; if none takes it they may ask the sender for it."""
        taken = [receiver.put(message, sender) for receiver in list(self.successors)]
        return any(taken)

    def joined(self, receiver: Receiver) -> None:
        """Go on to a further receiver."""
        self.successors.append(receiver)
        receiver.counts(1)


class graph:
    """Nodes with edges; ``wait_for_all`` waits until nothing is left to do.

    Args:
        context: what cancels it; left out, one of its own.
    """

    def __init__(self, context: task_group_context | None = None) -> None:
        self._context = task_group_context() if context is None else context
        self.batch = batch_of(self._context)
        self.lock = threading.RLock()  # one for all nodes: they ask one another in circles
        self.nodes: list[Any] = []
        self._failed = False

    def start(self, task: Callable[[], object]) -> None:
        """Run a task of a node."""
        self.batch.arena.put(self.batch, task)

    @ends_at_call
    def wait_for_all(self) -> None:
        """Wait until no node has anything to do; raise what a node's body raised."""
        try:
            self.batch.wait()
        except BaseException:
            self._failed = True
            raise

    def reserve_wait(self) -> None:
        """Let ``wait_for_all`` wait for something outside, until ``release_wait``."""
        self.batch.await_outside(1)

    def release_wait(self) -> None:
        """Say that what was waited for outside is there."""
        self.batch.await_outside(-1)

    def cancel(self) -> None:
        """Run no further bodies."""
        self._context.cancel_group_execution()

    def is_cancelled(self) -> bool:
        """Say whether the graph was cancelled."""
        return self._context.is_group_execution_cancelled()

    def exception_thrown(self) -> bool:
        """Say whether a body raised something that ``wait_for_all`` told."""
        return self._failed

    def reset(self) -> None:
        """Empty all nodes and let the graph run again; nothing of it may run."""
        self._context.reset()
        self._failed = False
        for node in self.nodes:
            node.reset()

    def event(self, queue: sycl.queue) -> sycl.event:
        """Return an event of a queue that is complete when the graph is, for ``depends_on``."""
        return queue.submit(lambda h: h.host_task(self.wait_for_all))

    def __repr__(self) -> str:
        return f"<graph of {len(self.nodes)} nodes>"


class Node(Receiver):
    """A node with one port for messages out."""

    def __init__(self, of: graph) -> None:
        if not isinstance(of, graph):
            refuse(type(self).__name__, f"the graph comes first, got {of!r}")
        self.graph = of
        self.out = Port(self)
        of.nodes.append(self)

    def reset(self) -> None:
        """Forget all messages."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {len(self.out.successors)} successors>"


class Waiting:
    """Senders whose message was not taken, to be asked when there is room."""

    def __init__(self) -> None:
        self.senders: list[Sender] = []

    def note(self, sender: Sender | None) -> None:
        """Remember a sender."""
        if sender is not None and sender not in self.senders:
            self.senders.append(sender)

    def next(self) -> tuple[bool, Any]:
        """Return whether a sender still has a message, and which."""
        while self.senders:
            there, message = self.senders[0].take()
            if there:
                return True, message
            self.senders.pop(0)
        return False, None


def _out(thing: Any, routine: str) -> Port:
    found = thing if isinstance(thing, Port) else getattr(thing, "out", None)
    if not isinstance(found, Port):
        refuse(routine, f"{type(thing).__name__} sends no messages" + (
            "; name one of its ports: output_port(k, node)" if hasattr(thing, "ports") else ""))
    return found


def _in(thing: Any, routine: str) -> Receiver:
    if not isinstance(thing, Receiver):
        refuse(routine, f"{type(thing).__name__} takes no messages" + (
            "; name one of its ports: input_port(k, node)" if hasattr(thing, "inputs") else ""))
    return thing


def make_edge(sender: Any, receiver: Any) -> None:
    """Send a node's messages to another one.

    Args:
        sender: a node, or one of its ports (``output_port``).
        receiver: a node, or one of its ports (``input_port``), of the same graph.
    """
    port, to = _out(sender, "make_edge"), _in(receiver, "make_edge")
    if port.owner.graph is not to.graph:
        refuse("make_edge", "the nodes are of two graphs")
    port.joined(to)
    ready = getattr(port.owner, "joined", None)
    if ready is not None:
        ready()


def remove_edge(sender: Any, receiver: Any) -> None:
    """Send a node's messages to another one no more."""
    port, to = _out(sender, "remove_edge"), _in(receiver, "remove_edge")
    if to not in port.successors:
        refuse("remove_edge", "there is no such edge")
    port.successors.remove(to)
    to.counts(-1)


def input_port(k: int, node: Any) -> Receiver:
    """Return a node's port for messages in, by number from 0."""
    found: Receiver = _one(node, "inputs", k, "input_port")
    return found


def output_port(k: int, node: Any) -> Port:
    """Return a node's port for messages out, by number from 0."""
    found: Port = _one(node, "ports", k, "output_port")
    return found


def _one(node: Any, name: str, k: int, routine: str) -> Any:
    if isinstance(node, int):
        refuse(routine, f"expected a number and a node, as in {routine}(0, node)")
    ports = getattr(node, name, None)
    if ports is None:
        refuse(routine, f"{type(node).__name__} has one port only: name the node itself")
    if not 0 <= k < len(ports):
        refuse(routine, f"the node has ports 0 to {len(ports) - 1}, got {k}")
    return ports[k]


def later(of: graph, body: Callable[..., object], *arguments: Any) -> None:
    """Run a function as one of a graph's tasks."""
    of.start(functools.partial(body, *arguments))
