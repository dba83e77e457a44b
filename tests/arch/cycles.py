"""Which things go round in circles: the strongly connected parts of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def circles(edges: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Return the groups of nodes that reach one another, each sorted; of two nodes and more."""
    back: dict[str, set[str]] = {}
    for node, targets in edges.items():
        for target in targets:
            back.setdefault(target, set()).add(node)
    left, found = dict.fromkeys(reversed(_by_end(edges))), []
    while left:
        group = _reached(next(iter(left)), back, left)
        if len(group) > 1:
            found.append(tuple(sorted(group)))
    return sorted(found)


def _by_end(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the nodes in the order in which a walk from each leaves them for the last time."""
    seen: set[str] = set()
    order: list[str] = []
    for start in edges:
        todo = [(start, False)]
        while todo:
            node, leaving = todo.pop()
            if leaving:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                todo.append((node, True))
                todo += [(t, False) for t in edges.get(node, ()) if t in edges]
    return order


def _reached(start: str, edges: Mapping[str, Iterable[str]], left: dict[str, None]) -> set[str]:
    """Take out of ``left`` what can be reached from a node, and return it."""
    found, todo = set[str](), [start]
    while todo:
        node = todo.pop()
        if node in left:
            del left[node]
            found.add(node)
            todo += edges.get(node, ())
    return found
