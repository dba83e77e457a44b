"""Bugs as programs have them: tiles, reductions, histograms, particles, graphs, images, pipes.

Each is found on the native CPU and on the host device, with all checks on, at the line it is in.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place

ex = sycl.ext.oneapi.experimental
RELAXED, SCOPE = sycl.memory_order.relaxed, sycl.memory_scope
RACE = "data race: this work-item "
UNWRITTEN = "which nobody has written"
Launch = Callable[[sycl.queue, Any], object]


@pytest.fixture(autouse=True)
def watched(device: sycl.device) -> None:
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races are found on the CPU and the host device")


@sycl.is_device_copyable.register
@dataclass
class Body:
    pos: sycl.float3
    vel: sycl.float3
    past: (np.float32, 4)
    n: np.int32


@dataclass
class Pair:
    a: Any
    b: Any

    def swapped(self) -> Any:
        return Pair(self.b, self.a)


variable = ex.device_global(np.int32, 4)


# ---- tiles and windows
def turned_tile(it: Any, a: Any, out: Any, tile: Any) -> None:
    y, x = it.get_local_id(0), it.get_local_id(1)
    tile[y, x + 1] = a[it.get_global_id(0), it.get_global_id(1)]  # here
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(1), it.get_global_id(0)] = tile[x, y]


def halo(it: Any, a: Any, out: Any, tile: Any) -> None:
    x, n, g = it.get_local_id(0), it.get_local_range(0), it.get_global_id(0)
    tile[x + 1] = a[g]
    if x == 0:
        tile[0] = a[max(g - 1, 0)]
    if x == n - 1:
        tile[n + 1] = a[g + 1]  # here
    sycl.group_barrier(it.get_group())
    out[g] = tile[x] + tile[x + 1] + tile[x + 2]


def window(i: Any, part: Any, out: Any) -> None:
    out[i] = part[i[0] + 1]  # here


def ranged(i: Any, part: Any, out: Any) -> None:
    part[i[0] + 16] = 1  # here


def pixels(i: Any, image: Any, out: Any) -> None:
    out[i] = image[i[0], i[1] + 1].x  # here


def history(i: Any, bodies: Any) -> None:
    bodies[i].past[bodies[i].n] = 1.0  # here
    bodies[i].n += 1


# ---- who comes first
def tree(it: Any, a: Any, out: Any, part: Any) -> None:
    k = it.get_local_id(0)
    part[k] = a[it.get_global_id(0)]
    half = it.get_local_range(0) // 2
    sycl.group_barrier(it.get_group())
    while half > 0:
        if k < half:
            part[k] += part[k + half]  # here
        half //= 2
    if k == 0:
        out[it.get_group(0)] = part[0]


def histogram(i: Any, data: Any, bins: Any) -> None:
    bins[data[i]] += 1  # here


def zeroed_too_late(it: Any, data: Any, bins: Any, mine: Any) -> None:
    k = it.get_local_id(0)
    if k < 8:
        mine[k] = 0  # here
    ref = sycl.atomic_ref(mine, data[it.get_global_id(0)], RELAXED, SCOPE.work_group)
    ref.fetch_add(1)
    sycl.group_barrier(it.get_group())
    if k < 8:
        sycl.atomic_ref(bins, k, RELAXED, SCOPE.device).fetch_add(mine[k])


def declared(it: Any, out: Any) -> None:
    t = sycl.ext.oneapi.group_local_memory_for_overwrite((np.float32, 8), it.get_group())
    k = it.get_local_id(0)
    t[k] = k  # here
    out[it.get_global_id(0)] = t[7 - k]


def scratch(it: Any, out: Any) -> None:
    s = ex.get_work_group_scratch_memory(np.int32)
    k = it.get_local_id(0)
    s[k] = k  # here
    out[it.get_global_id(0)] = s[(k + 1) % 8]


def moved(i: Any, bodies: Any) -> None:
    k = (i[0] + 1) % 8
    bodies[i].pos = bodies[i].pos + bodies[i].vel  # here
    bodies[i].vel = bodies[i].vel + (bodies[k].pos - bodies[i].pos)


def one_coordinate(i: Any, bodies: Any) -> None:
    bodies[i].pos.y = 1.0  # here
    bodies[i].vel.x = bodies[7 - i[0]].pos.y


def whole_vector(i: Any, v: Any, out: Any) -> None:
    v[i].y = 1.0  # here
    w = v[7 - i[0]]
    out[i] = w.x


def counted(i: Any) -> None:
    variable[i[0] % 4] += 1  # here


def groups_meet_alone(it: Any, a: Any) -> None:
    i = it.get_global_id(0)
    a[i] = 1  # here
    sycl.group_barrier(it.get_group())
    a[i] += a[(i + 8) % 16]


def narrow(it: Any, a: Any) -> None:
    sycl.atomic_ref(a, it.get_local_id(0) % 4, RELAXED, SCOPE.sub_group).fetch_add(1)  # here


def relaxed_flag(it: Any, data: Any, flag: Any, out: Any) -> None:
    if it.get_local_id(0) == 0:
        ref = sycl.atomic_ref(flag, 0, RELAXED, SCOPE.device)
        if it.get_group(0) == 0:
            data[0] = 42  # here
            ref.store(1)
        elif ref.load() == 1:
            out[0] = data[0]


def relaxed_fence(it: Any, data: Any, flag: Any, out: Any) -> None:
    if it.get_local_id(0) == 0:
        ref = sycl.atomic_ref(flag, 0, RELAXED, SCOPE.device)
        if it.get_group(0) == 0:
            data[0] = 42  # here
            sycl.atomic_fence(RELAXED, SCOPE.device)
            ref.store(1)
        elif ref.load() == 1:
            out[0] = data[0]


# ---- what nobody wrote
def accumulators(it: Any, a: Any, out: Any, acc: Any) -> None:
    k = it.get_local_id(0)
    for n in range(3):
        acc[k, n] += a[it.get_global_id(0)]  # here
    out[it.get_global_id(0)] = acc[k, 0]


def by_atomics(it: Any, a: Any, out: Any, acc: Any) -> None:
    ref = sycl.atomic_ref(acc, (0, 0), RELAXED, SCOPE.work_group)
    ref.fetch_add(a[it.get_global_id(0)])  # here
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = acc[0, 0]


def half_declared(it: Any, out: Any) -> None:
    t = sycl.ext.oneapi.group_local_memory_for_overwrite((np.float32, 8), it.get_group())
    k = it.get_local_id(0)
    if k < 4:
        t[k] = k
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = t[k]  # here


def local_slice(it: Any, out: Any, tile: Any) -> None:
    part, k = tile[4:8], it.get_local_id(0)
    if k < 3:
        part[k] = k
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = part[k % 4]  # here


def private_window(i: Any, out: Any) -> None:
    own = sycl.private_array(np.float32, 8)
    part = own[2:6]
    part[0] = 1.0
    out[i] = part[0] + part[1]  # here


def private_row(i: Any, out: Any) -> None:
    own = sycl.private_array(np.float32, (3, 4))
    own[1, 0] = 1.0
    row = own[1]
    out[i] = row[0] + row[2]  # here


def private_element(i: Any, out: Any) -> None:
    own = sycl.private_array(sycl.float4, 2)
    own[1].x = 1.0
    out[i] = own[1].x + own[1].y  # here


def private_record(i: Any, out: Any) -> None:
    own = sycl.private_array(Body, 2)
    own[0].pos = sycl.float3(1, 2, 3)
    v = own[0].pos + own[0].vel  # here
    out[i] = v.x


def of_each_item(g: Any, out: Any) -> None:
    mine = sycl.private_memory(np.int32, g)

    def first(h: Any) -> None:
        if h.get_local_id(0) < 3:
            mine[h] = 1

    def second(h: Any) -> None:
        out[h.get_global_id(0)] = mine[h]  # here
    g.parallel_for_work_item(first)
    g.parallel_for_work_item(second)


# ---- who meets
def early(it: Any, a: Any, n: Any, out: Any) -> None:
    i = it.get_global_id(0)
    if i >= n:
        return
    s = sycl.reduce_over_group(it.get_group(), a[i], sycl.plus())  # here
    if it.get_local_id(0) == 0:
        out[it.get_group(0)] = s


ND, LONG = sycl.nd_range(16, 8), sycl.nd_range(64, 32)


def run(space: Any, *make: Callable[[], Any], local: Any = None) -> Launch:
    """Return what launches a kernel over fresh arrays."""
    def launch(q: sycl.queue, kernel: Any) -> None:
        more = () if local is None else (sycl.local_accessor(*local),)
        q.parallel_for(space, kernel, *(f() for f in make), *more)
    return launch


def floats(*shape: int) -> Callable[[], Any]:
    return lambda: np.ones(shape, np.float32)


def integers(*shape: int) -> Callable[[], Any]:
    return lambda: np.zeros(shape, np.int32)


def bodies() -> Any:
    made = np.zeros(8, Body.dtype)
    made["n"][5] = 4
    return made


def in_a_window(q: sycl.queue, kernel: Any) -> None:
    whole = sycl.buffer(np.zeros(256, np.int32))
    part = sycl.buffer(whole, 64, 64)
    q.submit(lambda h: h.parallel_for(
        64, kernel, sycl.accessor(part, h, sycl.read_only), np.zeros(64, np.int32)))


def in_a_range(q: sycl.queue, kernel: Any) -> None:
    whole = sycl.buffer(np.zeros(64, np.int32))
    q.submit(lambda h: h.parallel_for(16, kernel, sycl.accessor(
        whole, h, sycl.range(16), sycl.id(16)), np.zeros(16, np.int32)))


def in_an_image(q: sycl.queue, kernel: Any) -> None:
    image = sycl.unsampled_image(sycl.image_format.r32g32b32a32_sfloat, sycl.range(4, 4))
    out = np.zeros((4, 4), np.float32)
    q.submit(lambda h: h.parallel_for((4, 4), kernel, sycl.unsampled_image_accessor(
        image, h, sycl.float4, sycl.read_only), out))


def with_scratch(q: sycl.queue, kernel: Any) -> None:
    q.submit(lambda h: h.parallel_for(
        ND, ex.properties(ex.work_group_scratch_size(32)), kernel, np.zeros(16, np.int32)))


def by_groups(q: sycl.queue, kernel: Any) -> None:
    q.submit(lambda h: h.parallel_for_work_group(
        sycl.range(2), sycl.range(4), kernel, np.zeros(8, np.int32)))


def data() -> Any:
    return (np.arange(64) * 5 % 8).astype(np.int32)


FLAGS = run(ND, integers(1), integers(1), integers(1))
BUGS: dict[Callable[..., None], tuple[Launch, str]] = {
    turned_tile: (run(sycl.nd_range((16, 16), (8, 8)), floats(16, 16), floats(16, 16),
                      local=(np.float32, (8, 8))),
                  r"index 8 in dimension 1 is outside 'tile' \(range 8, 8\): valid is 0 to 7"),
    halo: (run(sycl.nd_range(32, 8), floats(32), floats(32), local=(np.float32, 10)),
           r"index 32 is outside 'a' \(range 32\): valid is 0 to 31"),
    window: (in_a_window, r"index 64 is outside 'part' \(range 64\): valid is 0 to 63"),
    ranged: (in_a_range, r"index 16 is outside 'part' \(range 16\): valid is 0 to 15"),
    pixels: (in_an_image, "y = 4 is outside the image 'image': valid is 0 to 3"),
    history: (run(8, bodies), "index 4 is out of bounds for axis 0 with size 4"),
    tree: (run(LONG, floats(64), floats(2), local=(np.float32, 32)), RACE + r"\w+ part\[\d+\]"),
    histogram: (run(64, data, integers(8)), RACE + r"\w+ bins\[\d\]"),
    zeroed_too_late: (run(LONG, data, integers(8), local=(np.int32, 8)), RACE + r".* mine\[\d\]"),
    declared: (run(ND, floats(16)), RACE + r"\w+ local\[\d\]"),
    scratch: (with_scratch, RACE + r"\w+ local\[\d\]"),
    moved: (run(8, bodies), RACE + r"\w+ bodies\[\d\]\.pos\.x"),
    one_coordinate: (run(8, bodies), RACE + r"\w+ bodies\[\d\]\.pos\.y"),
    whole_vector: (run(8, lambda: np.zeros(8, sycl.float4.dtype), floats(8)),
                   RACE + r"\w+ v\[\d\]\.[xy]"),
    counted: (run(16), RACE + r"\w+ variable\[\d\]"),
    groups_meet_alone: (run(ND, integers(16)), RACE + r"\w+ a\[\d+\]"),
    narrow: (run(LONG, integers(4)), RACE + r"accesses atomically a\[0\].*too narrow for both"),
    relaxed_flag: (FLAGS, RACE + r"reads data\[0\]"),
    relaxed_fence: (FLAGS, RACE + r"reads data\[0\]"),
    accumulators: (run(ND, floats(16), floats(16), local=(np.float32, (8, 3))),
                   r"reads acc\[0, 0\], made at .*" + UNWRITTEN),
    by_atomics: (run(ND, floats(16), floats(16), local=(np.float32, (8, 3))),
                 r"reads acc\[0, 0\], made at .*" + UNWRITTEN),
    half_declared: (run(ND, floats(16)), r"reads local\[4\], made at .*" + UNWRITTEN),
    local_slice: (run(ND, integers(16), local=(np.int32, 8)),
                  r"reads tile\[7\], made at .*" + UNWRITTEN),
    private_window: (run(4, floats(4)), r"reads private array\[3\], made at .*" + UNWRITTEN),
    private_row: (run(4, floats(4)), r"reads private array\[1, 2\], made at .*" + UNWRITTEN),
    private_element: (run(4, floats(4)), r"reads private array\[1\]\.y, made at .*" + UNWRITTEN),
    private_record: (run(4, floats(4)),
                     r"reads private array\[0\]\.vel(\.x)?, made at .*" + UNWRITTEN),
    of_each_item: (by_groups, r"reads private_memory\[3\], made at .*" + UNWRITTEN),
    early: (run(sycl.nd_range(32, 8), floats(32), lambda: 29, floats(4)),
            r"not all work-items of the group come to this reduce_over_group: .*id\(29\) does not"),
}


def told(device: sycl.device, launch: Launch, kernel: Any) -> str:
    errors: list[sycl.exception] = []
    queue = sycl.queue(device, lambda found: errors.extend(found), sycl.property.queue.debug("all"))
    launch(queue, kernel)
    queue.wait_and_throw()
    return "\n".join(e.what() for e in errors)


@pytest.mark.part("Q-1", "Q-2", "Q-4", "Q-5")
@pytest.mark.parametrize("kernel", BUGS, ids=lambda k: k.__name__)
def test_a_programs_bug_is_found_at_its_line(device: sycl.device, kernel: Any) -> None:
    launch, said = BUGS[kernel]
    text = told(device, launch, kernel)
    assert text.startswith(f"kernel '{kernel.__name__}' failed "), text
    assert re.search(said, text), text
    assert place(kernel, "# here") in text, text
    declaration = re.search(r"made at (\S+):(\d+), which", text)
    if declaration is not None:
        lines = inspect.getsource(inspect.getmodule(kernel)).splitlines()
        assert re.search("private_array|private_memory|local_accessor|group_local_memory",
                         lines[int(declaration[2]) - 1]), text


# ---- and nothing else
def ordered_flag(it: Any, data: Any, flag: Any, out: Any) -> None:
    if it.get_local_id(0) == 0:
        ref = sycl.atomic_ref(flag, 0, RELAXED, SCOPE.device)
        if it.get_group(0) == 0:
            data[0] = 42
            sycl.atomic_fence(sycl.memory_order.release, SCOPE.device)
            ref.store(1)
        else:
            ready = ref.load() == 1
            sycl.atomic_fence(sycl.memory_order.acquire, SCOPE.device)
            if ready:
                out[0] = data[0]


def by_orders(it: Any, data: Any, flag: Any, out: Any) -> None:
    if it.get_local_id(0) == 0:
        ref = sycl.atomic_ref(flag, 0, sycl.memory_order.acq_rel, SCOPE.device)
        if it.get_group(0) == 0:
            data[0] = 42
            ref.store(1)
        elif sycl.atomic_ref(flag, 0).load(sycl.memory_order.acquire) == 1:
            out[0] = data[0]


def other_coordinates(i: Any, bodies: Any) -> None:
    k = 7 - i[0]
    bodies[i].pos.y = 1.0
    bodies[i].vel.x = bodies[k].pos.x + sycl.dot(bodies[k].pos.xz, bodies[k].pos.zx)
    bodies[i].vel.z = bodies[k].pos[2] + bodies[k].pos.swizzle(0, 2).y


def windows_of_own(i: Any, out: Any) -> None:
    own = sycl.private_array(np.float32, (3, 4))
    row = own[1]
    part = row[1:3]
    for k in range(4):
        own[2][k] = 1.0
    part[0] = 2.0
    part[1] = 3.0
    out[i] = part[0] + own[1, 2] + own[2, 3] + own[2][1] + row[1]


def declared_well(it: Any, out: Any) -> None:
    t = sycl.ext.oneapi.group_local_memory_for_overwrite((np.float32, 8), it.get_group())
    k = it.get_local_id(0)
    t[k] = k
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = t[7 - k]


def by_a_class(i: Any, out: Any) -> None:
    pair = Pair(np.float32(i[0]), np.float32(2)).swapped()
    out[i] = pair.a - pair.b


def by_atomics_of_members(i: Any, bodies: Any) -> None:
    sycl.atomic_ref(bodies[0].past[2]).fetch_add(1.0)
    sycl.atomic_ref(bodies[1].past, 2).fetch_add(1.0)
    sycl.atomic_ref(bodies[2].n).fetch_add(1)


FINE: dict[Callable[..., None], Launch] = {
    ordered_flag: FLAGS, by_orders: FLAGS, other_coordinates: run(8, bodies),
    windows_of_own: run(4, floats(4)), declared_well: run(ND, floats(16)),
    by_a_class: run(4, floats(4)), by_atomics_of_members: run(8, bodies)}


@pytest.mark.part("Q-2", "Q-5")
@pytest.mark.parametrize("kernel", FINE, ids=lambda k: k.__name__)
def test_where_there_is_no_bug_nothing_is_told(device: sycl.device, kernel: Any) -> None:
    assert told(device, FINE[kernel], kernel) == ""


# ---- memory that is gone, through a graph
def fill(i: Any, p: Any) -> None:
    p[i] = i[0]


@pytest.mark.part("Q-6")
@pytest.mark.parametrize("again", [False, True])
def test_a_graph_does_not_use_memory_that_was_freed(device: sycl.device, again: bool) -> None:
    queue = sycl.queue(device, sycl.property.queue.debug("all"))
    p = sycl.malloc_device(64, np.int32, queue)
    graph = ex.command_graph(queue)
    graph.add(lambda h: h.parallel_for(64, fill, p))
    made = graph.finalize()
    if again:
        queue.ext_oneapi_graph(made).wait_and_throw()
    sycl.free(p, queue)
    with pytest.raises(sycl.exception, match="this device allocation of 256 bytes was freed"):
        queue.ext_oneapi_graph(made).wait_and_throw()
