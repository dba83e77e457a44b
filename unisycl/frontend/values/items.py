"""Index objects in kernels: which queries each method of an item or group stands for.

Non-goals: their host behaviour (``lang.index.nd_item``). Invariant: one table row per method,
dimension arguments are constants (SYCL 2020 §4.9.1).
"""

from __future__ import annotations

from unisycl.frontend import coerce
from unisycl.frontend.values.kinds import Item, Several
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, WEAK_INT

ITEM_KINDS = {"item": "global_id", "global": "h_global_id", "logical": "logical_id",
              "physical": "h_physical_id"}
"""The values of class ``item`` and the id each is: the work-item's own, and those of an h_item."""


def _item(id: str, extent: str) -> dict[str, tuple[str, str]]:
    return {"get_id": (id, ""), "get_range": (extent, ""), "get_linear_id": (id, extent)}


# method -> (query, linear extent or ''): the query per dimension, or its row-major position
ITEM_METHODS: dict[str, dict[str, tuple[str, str]]] = {
    "item": _item("global_id", "global_range") | {
        "get_offset": ("offset", ""), "get": ("global_id", ""), "get_global_id": ("global_id", ""),
        "get_global_range": ("global_range", "")},  # the last three are SYCL 1.2's
    "global": _item("h_global_id", "h_global_range") | {"get_offset": ("offset", "")},
    "logical": _item("logical_id", "logical_range"),
    "physical": _item("h_physical_id", "h_physical_range"),
    "nd_item": {
        "get_global_id": ("global_id", ""), "get_local_id": ("local_id", ""),
        "get_global_range": ("global_range", ""),
        "get_local_range": ("local_range", ""), "get_group_range": ("group_range", ""),
        "get_offset": ("offset", ""), "get_global_linear_id": ("global_id", "global_range"),
        "get_local_linear_id": ("local_id", "local_range"),
        "get_group_linear_id": ("group_id", "group_range"),
        "get_group": ("", "group"), "get_sub_group": ("", "sub_group"), "barrier": ("", "barrier"),
        "ext_oneapi_get_root_group": ("", "root"), "get_nd_range": ("", "nd_range"),
        "mem_fence": ("", "fence"),
        "get_group_id": ("group_id", ""),
        "async_work_group_copy": ("", "copy"), "wait_for": ("", "wait"),
    },
    "group": {
        "get_group_id": ("group_id", ""), "get": ("group_id", ""), "get_id": ("group_id", ""),
        "get_local_id": ("local_id", ""), "get_global_range": ("global_range", ""),
        "get_local_range": ("local_range", ""), "get_max_local_range": ("max_local_range", ""),
        "get_group_range": ("group_range", ""),
        "get_group_linear_id": ("group_id", "group_range"),
        "get_linear_id": ("group_id", "group_range"),
        "get_local_linear_id": ("local_id", "local_range"),
        "get_group_linear_range": ("group_range", "product"),
        "get_local_linear_range": ("local_range", "product"),
        "leader": ("", "leader"), "parallel_for_work_item": ("", "work_item"),
        "async_work_group_copy": ("", "copy"), "wait_for": ("", "wait"),
        "get_offset": ("offset", ""), "get_nd_range": ("", "nd_range"),
    },
    "sub_group": {
        "get_group_id": ("sub_group_id", ""), "get_local_id": ("sub_group_local_id", ""),
        "get_group_linear_id": ("sub_group_id", "one"),
        "get_local_linear_id": ("sub_group_local_id", "one"),
        "get_local_range": ("sub_group_local_range", ""),
        "get_max_local_range": ("sub_group_max_local_range", ""),
        "get_group_range": ("sub_group_group_range", ""),
        "get_group_linear_range": ("sub_group_group_range", "one"),
        "get_local_linear_range": ("sub_group_local_range", "one"),
        "leader": ("", "leader"),
    },
    "device_event": {"wait": ("", "wait")},
    "h_item": {
        "get_global_id": ("h_global_id", ""), "get_global_range": ("h_global_range", ""),
        "get_local_id": ("logical_id", ""), "get_local_range": ("logical_range", ""),
        "get_logical_local_id": ("logical_id", ""),
        "get_logical_local_range": ("logical_range", ""),
        "get_physical_local_id": ("h_physical_id", ""),
        "get_physical_local_range": ("h_physical_range", ""),
        "get_global": ("", "global"), "get_local": ("", "logical"),
        "get_logical_local": ("", "logical"), "get_physical_local": ("", "physical"),
    },
}
WHOLE = frozenset((("sub_group", "get_local_range"), ("sub_group", "get_group_range"),
                   ("sub_group", "get_max_local_range"), ("group", "get_max_local_range"),
                   ("nd_item", "get_offset"), ("item", "get_offset"), ("global", "get_offset"),
                   ("group", "get_offset")))
"""Queries that give a whole id or range only, never one dimension of it."""
ONE_ITEM = frozenset(("get_local_id", "get_local_linear_id", "leader"))
"""Queries of a group that only a single work-item can make, so none at group scope."""


def query(name: str, dim: int, item: Item) -> n.Expr:
    """Return one id or extent of an index object."""
    if name == "h_physical_range":
        return n.Query(WEAK_INT, "logical_range" if item.bound else "local_range", dim)
    if name == "h_physical_id":
        logical = n.Query(WEAK_INT, "logical_id", dim)
        return logical if item.bound else coerce.binary(
            "mod", logical, query("h_physical_range", dim, item), WEAK_INT)
    if name in ("h_global_id", "h_global_range"):
        size = query("h_physical_range", dim, item)
        whole = n.Query(WEAK_INT, "group_range" if name == "h_global_range" else "group_id", dim)
        start = coerce.binary("mul", whole, size, WEAK_INT)
        return start if name == "h_global_range" else coerce.binary(
            "add", start, query("h_physical_id", dim, item), WEAK_INT)
    return n.Query(WEAK_INT, name, dim)


def queries(name: str, item: Item) -> Several:
    """Return an id or range of an index object in all its dimensions."""
    kind = "range" if name.endswith("range") else "id"
    count = 1 if name.startswith("sub_group") else item.ndim
    return Several(tuple(query(name, d, item) for d in range(count)), kind)


def item_ids(item: Item) -> Several:
    """Return the id an index object subscripts as."""
    name = ITEM_KINDS.get(item.kind) or {"group": "group_id", "sub_group": "sub_group_id",
                                         "h_item": "h_global_id"}.get(item.kind, "global_id")
    return queries(name, item)


def linear(name: str, extent: str, item: Item) -> n.Expr:
    """Return the row-major position of an id, without the launch offset (SYCL 2020 §4.9.1.4)."""
    if extent == "one":
        return query(name, 0, item)
    if extent == "product":
        size = query(name, 0, item)
        for d in range(1, item.ndim):
            size = coerce.binary("mul", size, query(name, d, item), WEAK_INT)
        return size
    place: n.Expr | None = None
    for d in range(item.ndim):
        x = query(name, d, item)
        if name == "global_id":
            x = n.Binary(WEAK_INT, "sub", x, n.Query(WEAK_INT, "offset", d))
        if place is None:
            place = x
        else:
            row = coerce.binary("mul", place, query(extent, d, item), WEAK_INT)
            place = coerce.binary("add", row, x, WEAK_INT)
    assert place is not None
    return place


def leader(item: Item) -> n.Expr:
    """Return whether this work-item is the group's first."""
    if item.kind == "sub_group":
        place = query("sub_group_local_id", 0, item)
    else:
        place = linear("local_id", "local_range", item)
    return n.Compare(WEAK_BOOL, "eq", place, coerce.weak_scalar(0))


def nd_range(item: Item) -> Several:
    """Return the ``nd_range`` of the launch: global range, local range, offset."""
    names = ("global_range", "max_local_range", "offset")
    return Several(tuple(queries(name, item) for name in names), "nd_range")
