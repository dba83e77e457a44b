"""Drawings of what was submitted, of what is pending on a queue, and of command graphs.

Edges come from the accesses themselves, by the rules that the runtime orders commands with, so that
a drawing does not depend on what had ended when. Non-goals: layout and text formats
(``observe.drawing``). Invariant: a drawing shows the first commands where there are too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unisycl.observe.drawing import Box, Drawing, Line
from unisycl.observe.history import HOST, Command, Place, Touch, extent_of
from unisycl.runtime.graph import watching
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.deps import Access, Tracker
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.recorded.command_graph import Graph, Node, RecordingChannel

MOST = 200
_BARRIER = "a barrier"
Causes = dict[tuple[int, int], list[str]]


def of_commands(commands: Sequence[Command], most: int = MOST) -> Drawing:
    """Return the drawing of commands that were noted."""
    shown = commands[:most]
    places = {c.number: k for k, c in enumerate(shown)}
    queues = len({c.queue for c in shown if c.queue != HOST}) > 1
    causes = data_causes(c.touches for c in shown)
    asked: Causes = {}
    for k, command in enumerate(shown):
        for number in command.explicit:
            if number in places:
                asked.setdefault((places[number], k), []).append(
                    "barrier" if command.label == _BARRIER else "depends_on")
        before = places.get(command.previous) if command.previous is not None else None
        if before is not None and (before, k) not in causes and (before, k) not in asked:
            barrier = shown[before].label == _BARRIER
            asked[before, k] = ["barrier" if barrier else "in order"]
    boxes = [_box(c, with_queue=queues) for c in shown]
    return Drawing(boxes, _lines(causes, asked), _left_out(len(commands), len(shown)))


def of_graph(graph: Graph, most: int = MOST, *, verbose: bool = True) -> Drawing:
    """Return the drawing of a command graph."""
    return of_nodes(graph.order(), most, verbose=verbose)


def of_nodes(nodes: Sequence[Node], most: int = MOST, *, verbose: bool = True) -> Drawing:
    """Return the drawing of nodes, each after those it depends on; ``verbose``: index spaces."""
    shown = nodes[:most]
    places = {n: k for k, n in enumerate(shown)}
    known: dict[int, Place] = {}
    causes = data_causes([_touch(a, known) for a in n.current().accesses] for n in shown)
    asked: Causes = {(places[b], k): [] for k, n in enumerate(shown) for b in n.before
                     if b in places and (places[b], k) not in causes}
    boxes = [_node_box(n, verbose=verbose) for n in shown]
    return Drawing(boxes, _lines(causes, asked), _left_out(len(nodes), len(shown)))


def _node_box(given: Node, *, verbose: bool) -> Box:
    node = given.current()
    title, kind = _title(node.label)
    extent = [extent_of(node.launch.geometry)] if verbose and node.launch is not None else []
    line = " ".join([*kind, *extent])
    return Box(title, (line,) if line else (), _kind(node.label))


def of_queue(channel: Channel, most: int = MOST) -> Drawing:
    """Return the drawing of what a queue was given since somebody looks, else of what it has."""
    if isinstance(channel, RecordingChannel):
        return of_graph(channel.graph, most)
    if not watching.looking():
        return of_pending(channel, most)
    seen = watching.history()
    mine = seen.queue(channel)
    return of_commands([c for c in seen.commands if c.queue in (mine, HOST)], most)


def of_pending(channel: Channel, most: int = MOST) -> Drawing:
    """Return the drawing of a queue's pending commands."""
    tasks = [t for t in channel.snapshot() if not t.done()]
    shown = tasks[:most]
    places = {id(t): k for k, t in enumerate(shown)}
    asked: Causes = {}
    for k, task in enumerate(shown):
        for dep in task.predecessors():
            before = places.get(id(dep))
            if before is not None and before < k:
                asked[before, k] = []
    boxes = [Box(_title(t.label)[0], (_state(t),), _kind(t.label)) for t in shown]
    return Drawing(boxes, _lines({}, asked), _left_out(len(tasks), len(shown)))


def data_causes(accesses: Iterable[Iterable[Touch]]) -> Causes:
    """Return for each pair of commands that must be in order: which memory and modes say so."""
    trackers: dict[Place, Tracker[int]] = {}
    modes: dict[tuple[Place, int], str] = {}
    causes: Causes = {}
    for k, touches in enumerate(accesses):
        for touch in touches:
            tracker = trackers.get(touch.place)
            if tracker is None:
                tracker = trackers[touch.place] = Tracker(touch.place.nbytes, lambda _: False)
            for other in tracker.access(touch.start, touch.stop, writes=touch.writes, task=k):
                text = f"{touch.label}: {modes[touch.place, other]} → {touch.mode}"
                found = causes.setdefault((other, k), [])
                if text not in found:
                    found.append(text)
        for touch in touches:
            known = modes.get((touch.place, k))
            modes[touch.place, k] = touch.mode if known in (None, touch.mode) else "read_write"
    return causes


def _touch(access: Access, known: dict[int, Place]) -> Touch:
    memory = access.key
    size: int = getattr(memory, "nbytes", access.stop)
    place = known.setdefault(id(memory), Place(len(known), size))
    return Touch(place, access.start, access.stop, access.mode.name, access.mode.writes)


def _lines(causes: Causes, asked: Causes) -> list[Line]:
    lines = [Line(*pair, tuple(texts)) for pair, texts in causes.items()]
    lines += [Line(*pair, tuple(dict.fromkeys(texts)), data=False) for pair, texts in asked.items()
              if pair not in causes]
    return sorted(lines, key=lambda line: (line.head, line.tail))


def _title(label: str) -> tuple[str, tuple[str, ...]]:
    """Split kernel 'name' into its name and its kind."""
    kind, quote, name = label.partition(" '")
    return (name.rstrip("'"), (kind,)) if quote and label.endswith("'") else (label, ())


def _box(command: Command, *, with_queue: bool) -> Box:
    title, kind = _title(command.label)
    details = [*kind, *([command.detail] if command.detail else [])]
    where = [command.device] if command.device and command.queue != HOST else []
    if with_queue and where:
        where.append(f"queue {command.queue}")
    lines = [" ".join(details)] if details else []
    if where:
        lines.append(", ".join(where))
    if command.error:
        lines.append(command.error.splitlines()[0][:60])
    return Box(title, tuple(lines), "failed" if command.error else _kind(command.label))


def _kind(label: str) -> str:
    first = label.split(" ", 1)[0]
    if label.startswith(("host task", "a host_accessor")):
        return "host"
    if first.removeprefix("ext_oneapi_").removesuffix("2d") in (
            "copy", "memcpy", "fill", "memset", "update_host", "prefetch", "mem_advise"):
        return "copy"
    return "wait" if first in ("a", "an") and "graph" not in label else "kernel"


def _state(task: Task) -> str:
    return "on the device" if task.running() else "waits"


def _left_out(whole: int, shown: int) -> str:
    return f"{whole - shown} more commands are not shown" if whole > shown else ""
