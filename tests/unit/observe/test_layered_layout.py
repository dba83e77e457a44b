"""Where boxes and edges of a drawing go."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unisycl.observe.layered_layout import Item, Layout, lay_out

NONE = (0.0, 0.0)


@st.composite
def graphs(draw: st.DrawFn):
    count = draw(st.integers(1, 14))
    sizes = st.tuples(st.floats(10, 200), st.floats(10, 60))
    boxes = [draw(sizes) for _ in range(count)]
    pairs = [(a, b) for b in range(count) for a in range(b)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=25)) if pairs else []
    labels = st.one_of(st.just(NONE), st.tuples(st.floats(5, 150), st.floats(10, 30)))
    return boxes, [(a, b, draw(labels)) for a, b in chosen]


def solid(layout: Layout) -> list[Item]:
    return [*layout.boxes, *(label for label in layout.labels if label is not None)]


def overlap(a: Item, b: Item) -> bool:
    return (abs(a.x - b.x) < (a.width + b.width) / 2 - 1e-6
            and abs(a.y - b.y) < (a.height + b.height) / 2 - 1e-6)


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.too_slow])
@given(graphs())
def test_nothing_overlaps_and_edges_lead_down(graph) -> None:
    boxes, edges = graph
    layout = lay_out(boxes, edges)
    items = solid(layout)
    assert [] == [(a, b) for k, a in enumerate(items) for b in items[:k] if overlap(a, b)]
    for (tail, head, _), route in zip(edges, layout.routes, strict=True):
        assert (route[0], route[-1]) == (layout.boxes[tail], layout.boxes[head])
        heights = [item.y for item in route]
        assert heights == sorted(heights)
        assert heights[0] < heights[-1]
    for item in items:
        assert -1e-6 <= item.x - item.width / 2
        assert item.x + item.width / 2 <= layout.width + 1e-6
        assert item.y + item.height / 2 <= layout.height + 1e-6


@settings(max_examples=20, deadline=None,
          suppress_health_check=[HealthCheck.too_slow])
@given(graphs())
def test_equal_graphs_are_placed_equally(graph) -> None:
    first, second = lay_out(*graph), lay_out(*graph)
    assert [(b.x, b.y) for b in first.boxes] == [(b.x, b.y) for b in second.boxes]


def test_two_chains_that_were_submitted_in_turn_do_not_cross() -> None:
    layout = lay_out([(50, 20)] * 6, [(0, 2, NONE), (1, 3, NONE), (2, 4, NONE), (3, 5, NONE)])
    left = layout.boxes[0].x < layout.boxes[1].x
    assert left == (layout.boxes[4].x < layout.boxes[5].x)


def test_a_drawing_without_boxes_has_no_size() -> None:
    layout = lay_out([], [])
    assert (0.0, 0.0) == (layout.width, layout.height)
