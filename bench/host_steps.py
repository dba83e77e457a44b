"""``python -m bench.host_steps``: what a step of a kernel takes on the host device.

A ray tracer of spheres (vectors, records, loops), bodies that attract one another (vectors), an
escape loop of numbers, functions that call functions, a sort in private memory, sums through
memory, products by tiles and a tree of barriers (local memory). A step is one turn of the innermost
loop. Non-goals: other devices, where steps are not counted. Invariant: the results are printed as a
digest, so that two versions compare.
"""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

ROUNDS, SIZE, SPHERES = 7, 12, 5


@sycl.is_device_copyable.register
@dataclass
class Sphere:
    """A sphere in memory."""

    centre: sycl.float3
    radius: np.float32
    colour: sycl.float3


@dataclass
class Ray:
    """A ray in a kernel."""

    origin: Any
    direction: Any

    def at(self, t: Any) -> Any:
        """Return a point of it."""
        return self.origin + self.direction * t


def hit(ray: Any, sphere: Any) -> Any:
    """Return how far along a ray a sphere is met; a negative number if it is not."""
    to = ray.origin - sphere.centre
    b = sycl.dot(to, ray.direction)
    c = sycl.dot(to, to) - sphere.radius * sphere.radius
    d = b * b - c
    return -b - sycl.sqrt(d) if d > np.float32(0) else np.float32(-1)


def trace(i: Any, spheres: Any, out: Any, counts: Any) -> None:
    """Follow a ray through three mirrors."""
    y, x = i[0], i[1]
    away = sycl.float3(np.float32(x) / np.float32(SIZE) - np.float32(0.5),
                       np.float32(y) / np.float32(SIZE) - np.float32(0.5), np.float32(1))
    ray = Ray(sycl.float3(0, 0, -3), sycl.normalize(away))
    colour = sycl.float3(0, 0, 0)
    share = np.float32(1)
    steps = 0
    for _ in range(3):
        near, best = np.float32(1e9), -1
        for k in range(SPHERES):
            t = hit(ray, spheres[k])
            steps += 1
            if t > np.float32(1e-3) and t < near:
                near, best = t, k
        if best < 0:
            colour += sycl.float3(0.5, 0.7, 1.0) * share
            break
        point = ray.at(near)
        normal = sycl.normalize(point - spheres[best].centre)
        side = sycl.cross(normal, ray.direction)
        light = max(np.float32(0), sycl.dot(normal, sycl.float3(0.577, 0.577, -0.577)))
        colour += spheres[best].colour * light * share + side * np.float32(0.01)
        share *= np.float32(0.5)
        bounced = ray.direction - normal * (np.float32(2) * sycl.dot(normal, ray.direction))
        ray = Ray(point, sycl.normalize(bounced))
    out[y, x] = colour
    counts[y, x] = steps


def escape(i: Any, out: Any) -> None:
    """Count the steps until a point of the Mandelbrot set's plane escapes."""
    cx, cy = np.float32(i[1]) / np.float32(8) - np.float32(2), np.float32(i[0]) / np.float32(8)
    zx = zy = np.float32(0)
    n = 0
    while n < 64 and zx * zx + zy * zy < np.float32(4):
        zx, zy = zx * zx - zy * zy + cx, np.float32(2) * zx * zy + cy
        n += 1
    out[i] = n


def product(i: Any, a: Any, b: Any, out: Any) -> None:
    """Compute an element of a product of matrices."""
    y, x = i[0], i[1]
    total = np.float32(0)
    for k in range(24):
        total += a[y, k] * b[k, x]
    out[y, x] = total


def tree(it: Any, a: Any, out: Any, part: Any) -> None:
    """Sum the numbers of a work-group by halves."""
    mine = it.get_local_id(0)
    part[mine] = a[it.get_global_id(0)]
    width = it.get_local_range(0) // 2
    while width > 0:
        sycl.group_barrier(it.get_group())
        if mine < width:
            part[mine] += part[mine + width]
        width //= 2
    if mine == 0:
        out[it.get_group(0)] = part[0]


def attract(i: Any, places: Any, out: Any) -> None:
    """Sum what all bodies do to one."""
    me = places[i]
    pull = sycl.float4(0, 0, 0, 0)
    for k in range(32):
        away = places[k] - me
        square = sycl.dot(away, away) + np.float32(0.01)
        pull += away * (np.float32(1) / (square * sycl.sqrt(square)))
    out[i] = pull


def faded(t: Any) -> Any:
    """Return a number that comes and goes slowly."""
    return t * t * (np.float32(3) - np.float32(2) * t)


def between(a: Any, b: Any, t: Any) -> Any:
    """Return what lies between two numbers."""
    return a + (b - a) * t


def noise(i: Any, grid: Any, out: Any) -> None:
    """Add octaves of values between points of a grid."""
    x, total, size = np.float32(i[0]) * np.float32(0.37), np.float32(0), np.float32(1)
    for _ in range(6):
        k = int(x)
        t = faded(x - np.float32(k))
        total += between(grid[k % 64], grid[(k + 1) % 64], t) * size
        x, size = x * np.float32(2), size * np.float32(0.5)
    out[i] = total


def arrange(i: Any, a: Any, out: Any) -> None:
    """Sort sixteen numbers in private memory."""
    own = sycl.private_array(np.int32, 16)
    for k in range(16):
        own[k] = a[i[0], k]
    for k in range(15):
        for j in range(15 - k):
            left, right = own[j], own[j + 1]
            if left > right:
                own[j], own[j + 1] = right, left
    for k in range(16):
        out[i[0], k] = own[k]


def tiles(it: Any, a: Any, b: Any, out: Any, mine: Any, theirs: Any) -> None:
    """Compute an element of a product of matrices by tiles in local memory."""
    y, x = it.get_local_id(0), it.get_local_id(1)
    row, column = it.get_global_id(0), it.get_global_id(1)
    total = np.float32(0)
    for first in range(0, 24, 8):
        mine[y, x], theirs[y, x] = a[row, first + x], b[first + y, column]
        sycl.group_barrier(it.get_group())
        for k in range(8):
            total += mine[y, k] * theirs[k, x]
        sycl.group_barrier(it.get_group())
    out[row, column] = total


def _scene() -> Any:
    made: Any = np.zeros(SPHERES, Sphere.dtype)  # type: ignore[attr-defined]
    made["radius"] = np.linspace(0.3, 1.0, SPHERES)
    for k in range(SPHERES):
        made[k]["centre"] = sycl.float3(0.6 * k - 1.2, 0.3 * (k % 3) - 0.3, 0.4 * k)
        made[k]["colour"] = sycl.float3(0.2 * k, 1 - 0.2 * k, 0.5)
    return made


Work = tuple[Callable[[], None], Callable[[], int], Callable[[], tuple[Any, ...]]]


def works(queue: sycl.queue) -> dict[str, Work]:
    """Return, by name, what runs a kernel, what counts its steps, and its results."""
    picture, counts = np.zeros((SIZE, SIZE), sycl.float3.dtype), np.zeros((SIZE, SIZE), np.int32)
    escapes = np.zeros((SIZE, 4 * SIZE), np.int32)
    a, b = np.random.default_rng(1).random((2, 24, 24)).astype(np.float32)
    c, sums = np.zeros((24, 24), np.float32), np.zeros(16, np.float32)
    scene, many = _scene(), np.random.default_rng(2).random(1024).astype(np.float32)
    part = sycl.local_accessor(np.float32, 64)
    mine, theirs = (sycl.local_accessor(np.float32, (8, 8)) for _ in range(2))
    places, pulls = np.zeros(32, sycl.float4.dtype), np.zeros(32, sycl.float4.dtype)
    for k in range(32):
        places[k] = sycl.float4(k % 5, k % 7, k % 3, 0)
    grid, heights = many[:64].copy(), np.zeros(512, np.float32)
    shuffled = np.random.default_rng(3).integers(0, 99, (32, 16)).astype(np.int32)
    in_order, by_tiles = np.zeros_like(shuffled), np.zeros((24, 24), np.float32)

    def run(space: Any, kernel: Any, *arguments: Any) -> Callable[[], None]:
        return lambda: queue.parallel_for(space, kernel, *arguments).wait_and_throw()
    return {
        "trace": (run((SIZE, SIZE), trace, scene, picture, counts),
                  lambda: int(counts.sum()), lambda: (picture, counts)),
        "attract": (run(32, attract, places, pulls), lambda: 32 * 32, lambda: (pulls,)),
        "noise": (run(512, noise, grid, heights), lambda: 512 * 6, lambda: (heights,)),
        "arrange": (run(32, arrange, shuffled, in_order), lambda: 32 * 120, lambda: (in_order,)),
        "tiles": (run(sycl.nd_range((24, 24), (8, 8)), tiles, a, b, by_tiles, mine, theirs),
                  lambda: 24 ** 3, lambda: (by_tiles,)),
        "escape": (run(escapes.shape, escape, escapes), lambda: int(escapes.sum()),
                   lambda: (escapes,)),
        "product": (run((24, 24), product, a, b, c), lambda: 24 ** 3, lambda: (c,)),
        "tree": (run(sycl.nd_range(1024, 64), tree, many, sums, part), lambda: 1024 * 6,
                 lambda: (sums,)),
    }


def main() -> None:
    """Print, for each kernel, microseconds of CPU time a step takes and a digest of the results."""
    queue = sycl.queue(sycl.host_selector_v)
    for name, (run, steps, results) in works(queue).items():
        run()
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            run()
            times.append(1e6 * (time.process_time() - start) / steps())
        digest = hashlib.sha256(b"".join(r.tobytes() for r in results())).hexdigest()[:16]
        print(f"{name:8} {steps():6} steps: {statistics.median(times):7.2f} us a step "
              f"({min(times):.2f} to {max(times):.2f}), results {digest}")


if __name__ == "__main__":
    main()
