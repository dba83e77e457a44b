"""Rodinia's kernels on points, layers and graphs: k-means, backprop, bfs, lavaMD, neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    SUMS32,
    Entry,
    Local,
    Namespace,
    Nd,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)

F = np.float32
GROUP = 256

# kmeans: the nearest of some centres; features one after another, as Rodinia transposes them


@sycl.kernel
def kmeans(gid: Any, features: Any, centres: Any, member: Any) -> None:
    nearest, best = 0, F(3.4e38)
    for c in range(centres.shape[0]):
        distance = F(0)
        for f in range(centres.shape[1]):
            d = features[f, gid] - centres[c, f]
            distance += d * d
        if distance < best:
            best, nearest = distance, c
    member[gid] = nearest


@sycl.kernel
def kmeans_guarded(it: Any, features: Any, centres: Any, member: Any, n: Any) -> None:
    gid = it.get_global_id(0)
    if gid < n:
        nearest, best = 0, F(3.4e38)
        for c in range(centres.shape[0]):
            distance = F(0)
            for f in range(centres.shape[1]):
                d = features[f, gid] - centres[c, f]
                distance += d * d
            if distance < best:
                best, nearest = distance, c
        member[gid] = nearest


@sycl.kernel
def kmeans_points(gid: Any, points: Any, centres: Any, member: Any) -> None:
    nearest, best = 0, F(3.4e38)
    for c in range(centres.shape[0]):
        distance = F(0)
        for f in range(centres.shape[1]):
            d = points[gid, f] - centres[c, f]
            distance += d * d
        if distance < best:
            best, nearest = distance, c
    member[gid] = nearest


@parallel
def nb_kmeans(features: Any, centres: Any, member: Any) -> None:
    block = 1024
    for b in prange((len(member) + block - 1) // block):
        low, high = b * block, min(len(member), (b + 1) * block)
        best = np.full(block, F(3.4e38), np.float32)
        distance = np.empty(block, np.float32)
        for c in range(centres.shape[0]):
            for i in range(high - low):
                distance[i] = F(0)
            for f in range(centres.shape[1]):
                v = centres[c, f]
                for i in range(high - low):
                    d = features[f, low + i] - v
                    distance[i] += d * d
            for i in range(high - low):
                if distance[i] < best[i]:
                    best[i] = distance[i]
                    member[low + i] = c


def make_kmeans(n: int) -> Operands:
    random = np.random.default_rng(1)
    features = random.random((16, n), F)
    return Namespace(n=n, features=features, points=np.ascontiguousarray(features.T),
                     centres=random.random((8, 16), F), member=np.full(n, -1, np.int32),
                     space=Nd((-(-n // GROUP) * GROUP,), (GROUP,)))


def ref_kmeans(d: Operands) -> dict[str, Any]:
    square = ((d.points[:, None] - d.centres)**2).sum(2)
    return {"member": square.argmin(1)}


KMEANS = Entry(
    "kmeans", make_kmeans, 200_000, 500,
    {"": lambda d: [Step(kmeans, d.n, d.features, d.centres, d.member)],
     "guarded": lambda d: [Step(kmeans_guarded, d.space, d.features, d.centres, d.member, d.n)],
     "points in rows": lambda d: [Step(kmeans_points, d.n, d.points, d.centres, d.member)]},
    ref_kmeans, why="the nearest centre", numba=lambda d: nb_kmeans(
        d.features, d.centres, d.member), twin=("", "guarded"), outliers=0.001, taichi="kmeans",
    warp="kmeans",
    opencl=lambda d: [Step("kmeans", d.n, d.features, d.centres, d.member, 8, 16)])


# backprop: a layer forward, in tiles with a tree of sums, and its weights adjusted

SIDE = 16


@sycl.kernel
def layer_forward(it: Any, given: Any, weights: Any, sums: Any, node: Any, tile: Any) -> None:
    by, ty, tx = it.get_group(0), it.get_local_id(0), it.get_local_id(1)
    row = SIDE * by + ty
    if tx == 0:
        node[ty] = given[row]
    sycl.group_barrier(it.get_group())
    tile[ty, tx] = weights[row, tx] * node[ty]
    sycl.group_barrier(it.get_group())
    power = 2
    while power <= SIDE:
        if ty % power == 0:
            tile[ty, tx] += tile[ty + power // 2, tx]
        sycl.group_barrier(it.get_group())
        power *= 2
    if ty == 0:
        sums[by, tx] = tile[0, tx]


@sycl.kernel
def adjust(it: Any, delta: Any, given: Any, weights: Any, old: Any) -> None:
    row, column = it[0], it[1]
    change = F(0.3) * delta[column] * given[row] + F(0.3) * old[row, column]
    weights[row, column] += change
    old[row, column] = change


@parallel
def nb_backprop(given: Any, weights: Any, sums: Any, delta: Any, old: Any) -> None:
    for by in prange(sums.shape[0]):
        for tx in range(SIDE):
            sums[by, tx] = F(0)
        for ty in range(SIDE):
            v = given[by * SIDE + ty]
            for tx in range(SIDE):
                sums[by, tx] += weights[by * SIDE + ty, tx] * v
    for row in prange(weights.shape[0]):
        for column in range(SIDE):
            change = F(0.3) * delta[column] * given[row] + F(0.3) * old[row, column]
            weights[row, column] += change
            old[row, column] = change


def make_backprop(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(given=random.random(n, F), weights=random.random((n, SIDE), F), n=n,
                     sums=np.zeros((n // SIDE, SIDE), F), old=np.zeros((n, SIDE), F),
                     delta=random.random(SIDE, F) * F(1e-3), node=Local(np.float32, SIDE),
                     tile=Local(np.float32, (SIDE, SIDE)), space=Nd((n, SIDE), (SIDE, SIDE)))


def ref_backprop(d: Operands) -> dict[str, Any]:
    change = F(0.3) * np.outer(d.given, d.delta) + F(0.3) * d.old
    return {"sums": (d.weights * d.given[:, None]).reshape(-1, SIDE, SIDE).sum(1),
            "weights": d.weights + change, "old": change}


BACKPROP = Entry(
    "backprop", make_backprop, 1 << 16, 48,
    {"": lambda d: [Step(layer_forward, d.space, d.given, d.weights, d.sums, d.node, d.tile),
                    Step(adjust, (d.n, SIDE), d.delta, d.given, d.weights, d.old)]},
    ref_backprop, ROUNDING32, "sums of sixteen in another order",
    numba=lambda d: nb_backprop(d.given, d.weights, d.sums, d.delta, d.old), opencl=True)


# bfs: levels of a graph, two kernels a level; masks tell who is next

LEVELS = 8


@sycl.kernel
def bfs_start(i: Any, mask: Any, updating: Any, visited: Any, cost: Any) -> None:
    mask[i] = i == 0
    updating[i] = False
    visited[i] = i == 0
    cost[i] = 0 if i == 0 else -1


@sycl.kernel
def bfs_1(tid: Any, starts: Any, edges: Any, mask: Any, updating: Any, visited: Any, cost: Any
          ) -> None:
    if mask[tid]:
        mask[tid] = False
        for i in range(starts[tid], starts[tid + 1]):
            other = edges[i]
            if not visited[other]:
                cost[other] = cost[tid] + 1
                updating[other] = True


@sycl.kernel
def bfs_2(tid: Any, mask: Any, updating: Any, visited: Any) -> None:
    if updating[tid]:
        mask[tid] = True
        visited[tid] = True
        updating[tid] = False


@inner
def visit(tid: Any, starts: Any, edges: Any, updating: Any, visited: Any, cost: Any) -> None:
    for i in range(starts[tid], starts[tid + 1]):
        other = edges[i]
        if not visited[other]:
            cost[other] = cost[tid] + 1
            updating[other] = True


@parallel
def nb_bfs(starts: Any, edges: Any, mask: Any, updating: Any, visited: Any, cost: Any) -> None:
    n = len(mask)
    for i in prange(n):
        mask[i] = i == 0
        updating[i] = False
        visited[i] = i == 0
        cost[i] = 0 if i == 0 else -1
    for _ in range(LEVELS):
        for tid in prange(n):
            if mask[tid]:
                mask[tid] = False
                visit(tid, starts, edges, updating, visited, cost)
        for tid in prange(n):
            if updating[tid]:
                mask[tid] = True
                visited[tid] = True
                updating[tid] = False


def make_bfs(n: int) -> Operands:
    random = np.random.default_rng(1)
    degrees = random.integers(1, 11, n)
    starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    flags = {k: np.zeros(n, np.bool_) for k in ("mask", "updating", "visited")}
    return Namespace(n=n, starts=starts, edges=random.integers(0, n, starts[-1], np.int32),
                     cost=np.full(n, -2, np.int32), **flags)


def steps_bfs(d: Operands) -> list[Step]:
    steps = [Step(bfs_start, d.n, d.mask, d.updating, d.visited, d.cost)]
    for _ in range(LEVELS):
        steps += [Step(bfs_1, d.n, d.starts, d.edges, d.mask, d.updating, d.visited, d.cost),
                  Step(bfs_2, d.n, d.mask, d.updating, d.visited)]
    return steps


def ref_bfs(d: Operands) -> dict[str, Any]:
    cost = np.full(d.n, -1)
    front = [0]
    cost[0] = 0
    for level in range(LEVELS):
        found = {int(o) for t in front for o in d.edges[d.starts[t]:d.starts[t + 1]]
                 if cost[o] < 0}
        front = sorted(found)
        cost[front] = level + 1
    return {"cost": cost}


BFS = Entry("bfs", make_bfs, 1 << 17, 300, {"": steps_bfs}, ref_bfs,
            numba=lambda d: nb_bfs(d.starts, d.edges, d.mask, d.updating, d.visited, d.cost),
            opencl=True)


# lavaMD: particles of a box against those of the boxes around it, through local memory

EACH = 32


@sycl.kernel
def lavamd(it: Any, around: Any, position: Any, charge: Any, out: Any, a2: Any, near: Any,
           charges: Any) -> None:
    box, t = it.get_group(0), it.get_local_id(0)
    mine = box * EACH + t
    x, y, z, v = (position[mine, 0], position[mine, 1], position[mine, 2], position[mine, 3])
    fv = fx = fy = fz = F(0)
    for k in range(around.shape[1]):
        other = around[box, k]
        for c in range(4):
            near[t, c] = position[other * EACH + t, c]
        charges[t] = charge[other * EACH + t]
        sycl.group_barrier(it.get_group())
        for j in range(EACH):
            r2 = v + near[j, 3] - (x * near[j, 0] + y * near[j, 1] + z * near[j, 2])
            e = sycl.exp(-(a2 * r2))
            s = F(2) * e
            fv += charges[j] * e
            fx += charges[j] * (s * (x - near[j, 0]))
            fy += charges[j] * (s * (y - near[j, 1]))
            fz += charges[j] * (s * (z - near[j, 2]))
        sycl.group_barrier(it.get_group())
    out[mine, 0] = fv
    out[mine, 1] = fx
    out[mine, 2] = fy
    out[mine, 3] = fz


@parallel
def nb_lavamd(around: Any, position: Any, charge: Any, out: Any, a2: Any) -> None:
    for mine in prange(len(position)):
        box = mine // EACH
        x, y, z, v = (position[mine, 0], position[mine, 1], position[mine, 2], position[mine, 3])
        fv = fx = fy = fz = F(0)
        for k in range(around.shape[1]):
            first = around[box, k] * EACH
            for j in range(first, first + EACH):
                r2 = v + position[j, 3] - (x * position[j, 0] + y * position[j, 1]
                                           + z * position[j, 2])
                e = np.exp(-(a2 * r2))
                s = F(2) * e
                fv += charge[j] * e
                fx += charge[j] * (s * (x - position[j, 0]))
                fy += charge[j] * (s * (y - position[j, 1]))
                fz += charge[j] * (s * (z - position[j, 2]))
        out[mine, 0] = fv
        out[mine, 1] = fx
        out[mine, 2] = fy
        out[mine, 3] = fz


def make_lavamd(boxes: int) -> Operands:
    random = np.random.default_rng(1)
    position = random.random((boxes * EACH, 4), F)
    return Namespace(around=(np.arange(boxes)[:, None] + np.arange(27)).astype(np.int32) % boxes,
                     position=position, charge=random.random(boxes * EACH, F),
                     out=np.zeros_like(position), a2=F(0.5), near=Local(np.float32, (EACH, 4)),
                     charges=Local(np.float32, EACH), space=Nd((boxes * EACH,), (EACH,)))


def ref_lavamd(d: Operands) -> dict[str, Any]:
    p = d.position.astype(np.float64)
    which = (d.around[:, :, None] * EACH + np.arange(EACH)).reshape(len(d.around), -1)
    for box, others in enumerate(which):
        mine = slice(box * EACH, (box + 1) * EACH)
        r2 = p[mine, 3, None] + p[others, 3] - p[mine, :3] @ p[others, :3].T
        e = d.charge[others] * np.exp(-0.5 * r2)
        d.out[mine, 0] = e.sum(1)
        for c in range(3):
            d.out[mine, c + 1] = (2 * e * (p[mine, c, None] - p[others, c])).sum(1)
    return {"out": d.out}


LAVAMD = Entry("lavamd", make_lavamd, 64, 2,
               {"": lambda d: [Step(lavamd, d.space, d.around, d.position, d.charge, d.out, d.a2,
                                    d.near, d.charges)]},
               ref_lavamd, SUMS32, "hundreds of float32 of both signs in another order",
               numba=lambda d: nb_lavamd(d.around, d.position, d.charge, d.out, d.a2),
               opencl=lambda d: [Step("lavamd", d.space, d.around, d.position, d.charge, d.out,
                                      d.a2, d.near, d.charges, 27)])


# nn: distances of records of two numbers to a place, as an array of structures


@inner
def far(x: Any, y: Any, lat: Any, lng: Any) -> Any:
    return np.sqrt((lat - x) * (lat - x) + (lng - y) * (lng - y))


@sycl.kernel
def nn(it: Any, places: Any, out: Any, n: Any, lat: Any, lng: Any) -> None:
    gid = it.get_global_id(0)
    if gid < n:
        out[gid] = far(places[gid, 0], places[gid, 1], lat, lng)


@sycl.kernel
def nn_plain(gid: Any, places: Any, out: Any, lat: Any, lng: Any) -> None:
    out[gid] = far(places[gid, 0], places[gid, 1], lat, lng)


@parallel
def nb_nn(places: Any, out: Any, lat: Any, lng: Any) -> None:
    for i in prange(len(out)):
        out[i] = far(places[i, 0], places[i, 1], lat, lng)


def make_nn(n: int) -> Operands:
    return Namespace(n=n, places=np.random.default_rng(1).random((n, 2), F), out=np.zeros(n, F),
                     lat=F(0.3), lng=F(0.9), space=Nd((-(-n // GROUP) * GROUP,), (GROUP,)))


NN = Entry("nn", make_nn, 1 << 20, 500,
           {"": lambda d: [Step(nn, d.space, d.places, d.out, d.n, d.lat, d.lng)],
            "unguarded": lambda d: [Step(nn_plain, d.n, d.places, d.out, d.lat, d.lng)]},
           lambda d: {"out": np.hypot(d.places[:, 0] - d.lat, d.places[:, 1] - d.lng)}, ROUNDING32,
           "some float32 roundings", numba=lambda d: nb_nn(d.places, d.out, d.lat, d.lng),
           opencl=True, twin=("unguarded", ""), taichi="nn", warp="nn")

ENTRIES = [KMEANS, BACKPROP, BFS, LAVAMD, NN]

if __name__ == "__main__":
    show(ENTRIES)
