"""Nodes with bodies: functions of messages, sources, and what waits for work elsewhere.

Non-goals: nodes that only keep messages (``buffers``). Invariant: a body runs as often at a time as
its node allows, and on messages in their order where that is once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.tbb.flow.graphs import Node, Port, Sender, Waiting, graph, later
from unisycl.oneapi.tbb.pipelines import flow_control
from unisycl.oneapi.tbb.workers import watchers

serial, unlimited = 1, 0
queueing, rejecting, lightweight = "queueing", "rejecting", "lightweight"


class continue_msg:
    """A message without content."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, continue_msg)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "continue_msg()"


class Worker(Node):
    """A node that calls a function with each message.

    Args:
        of: the graph.
        concurrency: how many calls may run at a time: ``serial``, ``unlimited`` or a number.
        body: the function.
        policy: ``queueing`` keeps messages that come meanwhile; ``rejecting`` does not take them;
            ``lightweight`` runs the body in the sender's task, if it may.
    """

    def __init__(self, of: graph, concurrency: int, body: Callable[..., Any],
                 policy: str = queueing) -> None:
        super().__init__(of)
        name = type(self).__name__
        if not hasattr(concurrency, "__index__") or concurrency < 0:
            refuse(name, "concurrency is serial, unlimited or a number of calls, got "
                   f"{concurrency!r}")
        if not callable(body):
            refuse(name, f"the body must be a function, got {body!r}")
        if policy not in (queueing, rejecting, lightweight):
            refuse(name, f"the policy is queueing, rejecting or lightweight, got {policy!r}")
        self.body, self.limit, self.policy = body, concurrency, policy
        self.kept, self.waiting = deque[Any](), Waiting()
        self.busy = 0

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            if self.limit and self.busy >= self.limit:
                if self.policy == rejecting:
                    self.waiting.note(sender)
                    return False
                self.kept.append(message)
                return True
            self.busy += 1
        if self.policy == lightweight:
            self._run(message)
        else:
            later(self.graph, self._run, message)
        return True

    def _run(self, message: Any) -> None:
        try:
            self.call(message)
        finally:
            self._done()

    def _done(self) -> None:
        """Go on to the next message that is kept here or by who sent it."""
        with self.graph.lock:
            there, message = (True, self.kept.popleft()) if self.kept else self.waiting.next()
            if not there:
                self.busy -= 1
        if there:
            later(self.graph, self._run, message)

    def call(self, message: Any) -> None:
        """Call the body, and send what it returns."""
        raise NotImplementedError

    def reset(self) -> None:
        self.kept.clear()
        self.waiting.senders.clear()
        self.busy = 0


class function_node(Worker):
    """Sends what its body makes of each message; see ``Worker``'s arguments.

    Args:
        of: the graph.
        concurrency: how many calls may run at a time: ``serial``, ``unlimited`` or a number.
        body: a function of a message.
        policy: ``queueing``, ``rejecting`` or ``lightweight``.
    """

    def call(self, message: Any) -> None:
        self.out.send(self.body(message))


class multifunction_node(Worker):
    """Its body sends to any of several ports: ``body(message, ports)``, ``ports[k].try_put(x)``.

    Args:
        of: the graph.
        concurrency: how many calls may run at a time.
        body: a function of a message and the ports.
        ports: how many ports there are.
        policy: ``queueing``, ``rejecting`` or ``lightweight``.
    """

    def __init__(self, of: graph, concurrency: int, body: Callable[..., Any], ports: int = 1,
                 policy: str = queueing) -> None:
        super().__init__(of, concurrency, body, policy)
        self.ports = tuple(Outlet(self) for _ in range(ports))
        del self.out

    def call(self, message: Any) -> None:
        self.body(message, self.ports)

    def __repr__(self) -> str:
        return f"<multifunction_node with {len(self.ports)} ports>"


class Outlet(Port):
    """A port that a body sends to."""

    def try_put(self, message: Any) -> bool:
        """Send a message."""
        self.send(message)
        return True


class continue_node(Node):
    """Calls its body once each of its predecessors has sent something, again and again.

    Args:
        of: the graph.
        body: a function of a ``continue_msg``.
        number_of_predecessors: how many there are beside those that edges join.
    """

    def __init__(self, of: graph, body: Callable[[continue_msg], Any],
                 number_of_predecessors: int = 0) -> None:
        super().__init__(of)
        if not callable(body):
            refuse("continue_node", f"the body must be a function, got {body!r}")
        self.body = body
        self.predecessors, self.heard = number_of_predecessors, 0

    def counts(self, change: int) -> None:
        self.predecessors += change

    def put(self, message: Any, sender: Sender | None) -> bool:
        with self.graph.lock:
            self.heard += 1
            if self.heard < self.predecessors:
                return True
            self.heard = 0
        later(self.graph, self._run)
        return True

    def _run(self) -> None:
        found = self.body(continue_msg())
        self.out.send(continue_msg() if found is None else found)

    def reset(self) -> None:
        self.heard = 0


class input_node(Node):
    """Sends what its body returns, one after the other, until that calls ``stop``.

    Args:
        of: the graph.
        body: a function of a ``flow_control``.
    """

    def __init__(self, of: graph, body: Callable[[flow_control], Any]) -> None:
        super().__init__(of)
        if not callable(body):
            refuse("input_node", f"the body must be a function, got {body!r}")
        self.body = body
        self.active = self.ended = self.running = self.asked = False
        self.kept: list[Any] = []

    def activate(self) -> None:
        """Begin."""
        self.active = True
        later(self.graph, self._run)

    def put(self, message: Any, sender: Sender | None) -> bool:
        return False

    def joined(self) -> None:
        """Go on where a successor came that may take what is kept."""
        if self.active:
            later(self.graph, self._run)

    def _run(self) -> None:
        with self.graph.lock:
            self.asked = True
            if self.running:
                return  # who runs looks again
            self.running = True
        try:
            while self._asked():
                self._make()
        except BaseException:
            self.running = False
            raise

    def _asked(self) -> bool:
        """Say whether somebody asked for messages since the last look; else let others run."""
        with self.graph.lock:
            found, self.asked = self.asked, False
            self.running = found
            return found

    def _make(self) -> None:
        """Make messages as long as they are taken."""
        while self._given() and not self.ended:
            control = flow_control()
            message = self.body(control)
            if control.stopped:
                self.ended = True
            else:
                self.kept.append(message)

    def _given(self) -> bool:
        """Give what is kept to whoever takes it; say whether nothing is left."""
        with self.graph.lock:
            for message in list(self.kept):
                taken = [r.put(message, self) for r in list(self.out.successors)]
                if any(taken):
                    self.kept.clear()
            return not self.kept

    def take(self) -> tuple[bool, Any]:
        """Give the message that was not taken, and go on."""
        with self.graph.lock:
            if not self.kept:
                return False, None
            message = self.kept.pop()
        later(self.graph, self._run)
        return True, message

    def reset(self) -> None:
        self.kept.clear()
        self.active = self.ended = False


class gateway:
    """How work outside the graph sends its results in (``async_node``)."""

    def __init__(self, node: async_node) -> None:
        self._node = node

    def try_put(self, message: Any) -> bool:
        """Send a message to the node's successors."""
        self._node.out.send(message)
        return True

    def reserve_wait(self) -> None:
        """Let the graph wait until ``release_wait``."""
        self._node.graph.reserve_wait()

    def release_wait(self) -> None:
        """Say that nothing more comes."""
        self._node.graph.release_wait()


class async_node(Worker):
    """Starts work elsewhere with each message, and sends what comes of it.

    The body is called with the message and a ``gateway``. If it returns an event of a queue, the
    message goes on when the event is complete; of a future its result does. Else the body sees to
    it that the gateway is used. No thread of the graph waits meanwhile, and a kernel that fails
    fails the graph.

    Args:
        of: the graph.
        concurrency: how many calls of the body may run at a time.
        body: a function of a message and a gateway.
        policy: ``queueing``, ``rejecting`` or ``lightweight``.
    """

    def __init__(self, of: graph, concurrency: int, body: Callable[..., Any],
                 policy: str = queueing) -> None:
        super().__init__(of, concurrency, body, policy)
        self._gateway = gateway(self)

    def call(self, message: Any) -> None:
        found = self.body(message, self._gateway)
        if isinstance(found, sycl.event | future):
            self.graph.reserve_wait()
            watchers.submit(self._watch, found, message)

    def _watch(self, found: Any, message: Any) -> None:
        try:
            if isinstance(found, sycl.event):
                found.wait_and_throw()
            else:
                message = found.get()
        except BaseException as error:  # noqa: BLE001 - raised where the graph is awaited
            self.graph.batch.fail(error)
        else:
            self.out.send(message)
        finally:
            self.graph.release_wait()

