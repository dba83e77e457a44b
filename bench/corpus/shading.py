"""Pictures, as ISPC's examples make them: ambient occlusion, noise, a volume, Mandelbrot, lights.

Functions marked ``inner`` say what one pixel is; ours, Numba's and the references call them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
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

F, U = np.float32, np.uint32
FAR = F(1e17)
PI2 = F(6.2831853)


def plain(compute: Any, result: str) -> Any:
    """Return a reference that has CPython compute in float32."""
    def reference(d: Operands) -> dict[str, Any]:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            compute(d)
        return {result: getattr(d, result)}
    return reference


# aobench: three spheres and a plane; 64 rays from each point that a pixel sees


@inner
def random_next(state: Any) -> Any:
    return U(state * U(1664525) + U(1013904223))


@inner
def as_float(state: Any) -> Any:
    return F(state >> U(8)) * F(1 / 16777216)


@inner
def hit(spheres: Any, ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return the distance to what a ray hits first, and what: 0, 1, 2, the plane 3, nothing -1."""
    nearest, what = FAR, -1
    for k in range(3):
        rx, ry, rz = ox - spheres[k, 0], oy - spheres[k, 1], oz - spheres[k, 2]
        b = rx * dx + ry * dy + rz * dz
        c = rx * rx + ry * ry + rz * rz - spheres[k, 3] * spheres[k, 3]
        e = b * b - c
        if e > F(0):
            t = -b - np.sqrt(e)
            if t > F(0) and t < nearest:
                nearest, what = t, k
    if abs(dy) > F(1e-17):
        t = -(oy + F(0.5)) / dy
        if t > F(0) and t < nearest:
            nearest, what = t, 3
    return nearest, what


@inner
def occlusion(spheres: Any, x: Any, y: Any, w: Any, h: Any, rays: Any) -> Any:
    """Return how much light reaches what one pixel sees."""
    dx = (F(x) - F(w) * F(0.5)) / (F(w) * F(0.5))
    dy = -(F(y) - F(h) * F(0.5)) / (F(h) * F(0.5))
    dz = F(-1)
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx / length, dy / length, dz / length
    t, what = hit(spheres, F(0), F(0), F(0), dx, dy, dz)
    light = F(0)
    if what >= 0:
        px, py, pz = t * dx, t * dy, t * dz
        nx, ny, nz = F(0), F(1), F(0)
        if what < 3:
            nx, ny, nz = (px - spheres[what, 0], py - spheres[what, 1], pz - spheres[what, 2])
            length = np.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx / length, ny / length, nz / length
        px, py, pz = px + nx * F(1e-3), py + ny * F(1e-3), pz + nz * F(1e-3)
        ax, ay, az = F(0), F(0), F(0)  # an axis far from the normal
        if abs(nx) < F(0.6):
            ax = F(1)
        elif abs(ny) < F(0.6):
            ay = F(1)
        else:
            az = F(1)
        sx, sy, sz = ay * nz - az * ny, az * nx - ax * nz, ax * ny - ay * nx
        length = np.sqrt(sx * sx + sy * sy + sz * sz)
        sx, sy, sz = sx / length, sy / length, sz / length
        tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
        seed = U(y * w + x)
        blocked = 0
        for _ in range(rays):
            seed = random_next(seed)
            theta = np.sqrt(as_float(seed))
            seed = random_next(seed)
            phi = PI2 * as_float(seed)
            u, v = np.cos(phi) * theta, np.sin(phi) * theta
            up = np.sqrt(F(1) - theta * theta)
            _, other = hit(spheres, px, py, pz, u * sx + v * tx + up * nx,
                           u * sy + v * ty + up * ny, u * sz + v * tz + up * nz)
            if other >= 0:
                blocked += 1
        light = F(rays - blocked) / F(rays)
    return light


@sycl.kernel
def aobench(it: Any, image: Any, spheres: Any, rays: Any) -> None:
    y, x = it[0], it[1]
    image[y, x] = occlusion(spheres, x, y, image.shape[1], image.shape[0], rays)


@parallel
def nb_aobench(image: Any, spheres: Any, rays: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            image[y, x] = occlusion(spheres, x, y, image.shape[1], image.shape[0], rays)


def make_aobench(n: int) -> Operands:
    spheres = np.array([[-2, 0, -3.5, 0.5], [-0.5, 0, -3, 0.5], [1, 0, -2.2, 0.5]], F)
    return Namespace(image=np.full((n, n), -1, F), spheres=spheres, rays=64 if n > 100 else 8)


AOBENCH = Entry(
    "aobench", make_aobench, 160, 10,
    {"": lambda d: [Step(aobench, d.image.shape, d.image, d.spheres, d.rays)]},
    plain(lambda d: nb_aobench(d.image, d.spheres, d.rays), "image"), SUMS32,
    "whether a ray hits is decided by rounded numbers: a few pixels are off by one ray",
    numba=lambda d: nb_aobench(d.image, d.spheres, d.rays), opencl=True, outliers=0.03)


# noise: turbulence of Perlin's gradient noise, the permutation in an array or a constant tuple

PERMUTATION = tuple(int(v) for v in np.tile(np.random.default_rng(5).permutation(256), 2))


@inner
def fade(t: Any) -> Any:
    return t * t * t * (t * (t * F(6) - F(15)) + F(10))


@inner
def gradient(h: Any, x: Any, y: Any, z: Any) -> Any:
    h = h & 15
    u = x if h < 8 or h == 12 or h == 13 else y
    v = y if h < 4 or h == 12 or h == 13 else z
    return (-u if h & 1 else u) + (-v if h & 2 else v)


@inner
def lerp(t: Any, a: Any, b: Any) -> Any:
    return a + t * (b - a)


@inner
def noise_at(x: Any, y: Any, z: Any, p: Any) -> Any:
    fx, fy, fz = np.floor(x), np.floor(y), np.floor(z)
    ix, iy, iz = np.int32(fx) & 255, np.int32(fy) & 255, np.int32(fz) & 255
    x, y, z = x - fx, y - fy, z - fz
    u, v, w = fade(x), fade(y), fade(z)
    a, b = p[ix] + iy, p[ix + 1] + iy
    aa, ab, ba, bb = p[a] + iz, p[a + 1] + iz, p[b] + iz, p[b + 1] + iz
    x1, y1, z1 = x - F(1), y - F(1), z - F(1)
    return lerp(w, lerp(v, lerp(u, gradient(p[aa], x, y, z), gradient(p[ba], x1, y, z)),
                        lerp(u, gradient(p[ab], x, y1, z), gradient(p[bb], x1, y1, z))),
                lerp(v, lerp(u, gradient(p[aa + 1], x, y, z1), gradient(p[ba + 1], x1, y, z1)),
                     lerp(u, gradient(p[ab + 1], x, y1, z1), gradient(p[bb + 1], x1, y1, z1))))


@inner
def turbulence(x: Any, y: Any, z: Any, octaves: Any, p: Any) -> Any:
    total, scale, size = F(0), F(1), F(1)
    for _ in range(octaves):
        total += size * abs(noise_at(scale * x, scale * y, scale * z, p))
        scale *= F(1.99)
        size *= F(0.6)
    return total


@sycl.kernel
def noise(it: Any, image: Any, p: Any, step: Any, octaves: Any) -> None:
    image[it] = turbulence(F(it[1]) * step, F(it[0]) * step, F(0.6), octaves, p)


@sycl.kernel
def noise_table(it: Any, image: Any, step: Any, octaves: Any) -> None:
    image[it] = turbulence(F(it[1]) * step, F(it[0]) * step, F(0.6), octaves, PERMUTATION)


@parallel
def nb_noise(image: Any, p: Any, step: Any, octaves: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            image[y, x] = turbulence(F(x) * step, F(y) * step, F(0.6), octaves, p)


NOISE = Entry(
    "noise", lambda n: Namespace(image=np.zeros((n, n), F), step=F(10 / n),
                                 p=np.array(PERMUTATION, np.int32)), 384, 8,
    {"": lambda d: [Step(noise, d.image.shape, d.image, d.p, d.step, 8)],
     "constant table": lambda d: [Step(noise_table, d.image.shape, d.image, d.step, 8)]},
    plain(lambda d: nb_noise(d.image, d.p, d.step, 8), "image"), 3e-3,
    "the cell of a rounded coordinate, and gradients across it",
    numba=lambda d: nb_noise(d.image, d.p, d.step, 8),
    opencl=lambda d: [Step("noise", d.image.shape, d.image, d.p, d.step, 8)])


# volume: march through a density, and from each step towards the light


@inner
def density_at(density: Any, x: Any, y: Any, z: Any) -> Any:
    """Return the density between the eight numbers around a point of the unit cube, 0 outside."""
    out = F(0)
    n = density.shape[0]
    if (x >= F(0) and x < F(1) and y >= F(0) and y < F(1) and z >= F(0) and z < F(1)):
        gx, gy, gz = x * F(n - 1), y * F(n - 1), z * F(n - 1)
        i, j, k = int(gx), int(gy), int(gz)
        u, v, w = gx - F(i), gy - F(j), gz - F(k)
        near = lerp(v, lerp(u, density[k, j, i], density[k, j, i + 1]),
                    lerp(u, density[k, j + 1, i], density[k, j + 1, i + 1]))
        far = lerp(v, lerp(u, density[k + 1, j, i], density[k + 1, j, i + 1]),
                   lerp(u, density[k + 1, j + 1, i], density[k + 1, j + 1, i + 1]))
        out = lerp(w, near, far)
    return out


@inner
def shadow(density: Any, x: Any, y: Any, z: Any) -> Any:
    """Return how much light comes through from above."""
    total = F(0)
    while y < F(1):
        total += density_at(density, x, y, z)
        x += F(0.02)
        y += F(0.08)
    return np.exp(-total * F(0.8))


@inner
def ray_through(density: Any, x: Any, y: Any) -> Any:
    """Return the light that a slanted ray collects."""
    light, left = F(0), F(1)
    px, py, pz = x, y, F(0)
    dx, dy, dz = (F(0.5) - x) * F(0.01), (F(0.5) - y) * F(0.01), F(0.02)
    while pz < F(1) and left > F(0.005):
        here = density_at(density, px, py, pz)
        if here > F(0.01):
            light += left * here * F(0.2) * shadow(density, px, py, pz)
            left *= np.exp(-here * F(0.2))
        px, py, pz = px + dx, py + dy, pz + dz
    return light


@sycl.kernel
def volume(it: Any, image: Any, density: Any) -> None:
    h, w = image.shape
    image[it] = ray_through(density, (F(it[1]) + F(0.5)) / F(w), (F(it[0]) + F(0.5)) / F(h))


@parallel
def nb_volume(image: Any, density: Any) -> None:
    h, w = image.shape
    for y in prange(h):
        for x in range(w):
            image[y, x] = ray_through(density, (F(x) + F(0.5)) / F(w), (F(y) + F(0.5)) / F(h))


def make_volume(size: tuple[int, int]) -> Operands:
    n, pixels = size
    z, y, x = np.indices((n, n, n)) / (n - 1) - 0.5
    cloud = 0.42 - np.sqrt(x * x + y * y + z * z) + 0.1 * np.sin(17 * x) * np.sin(13 * y + 9 * z)
    return Namespace(image=np.zeros((pixels, pixels), F),
                     density=np.maximum(cloud, 0).astype(F) * F(2))


VOLUME = Entry(
    "volume", make_volume, (64, 160), (12, 5),
    {"": lambda d: [Step(volume, d.image.shape, d.image, d.density)]},
    plain(lambda d: nb_volume(d.image, d.density), "image"), 2e-3,
    "thresholds on rounded densities", numba=lambda d: nb_volume(d.image, d.density),
    opencl=lambda d: [Step("volume", d.image.shape, d.image, d.density, d.density.shape[0])],
    outliers=0.01)


# mandelbrot: as in ISPC's example, 256 iterations


@inner
def escape(cx: Any, cy: Any, limit: Any) -> Any:
    x, y = cx, cy
    n = 0
    while n < limit and x * x + y * y <= F(4):
        x, y = x * x - y * y + cx, F(2) * x * y + cy
        n += 1
    return n


@sycl.kernel
def mandelbrot(it: Any, image: Any, step: Any, limit: Any) -> None:
    image[it] = escape(F(-2) + F(it[1]) * step, F(-1) + F(it[0]) * step, limit)


@parallel
def nb_mandelbrot(image: Any, step: Any, limit: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            image[y, x] = escape(F(-2) + F(x) * step, F(-1) + F(y) * step, limit)


MANDELBROT = Entry(
    "mandelbrot", lambda n: Namespace(image=np.full((n * 2 // 3, n), -1, np.int32),
                                      step=F(3 / n)), 768, 24,
    {"": lambda d: [Step(mandelbrot, d.image.shape, d.image, d.step, 256)]},
    plain(lambda d: nb_mandelbrot(d.image, d.step, 256), "image"), 0.0,
    "a fused product moves some points of the border", numba=lambda d: nb_mandelbrot(
        d.image, d.step, 256),
    opencl=lambda d: [Step("mandelbrot", d.image.shape, d.image, d.step, 256)], outliers=0.03,
    taichi="mandelbrot", warp="mandelbrot")


# deferred: lights that reach a tile of 16 x 16 pixels are listed once, then each pixel is lit

TILE, MOST = 16, 256


@inner
def lit(depth: Any, x: Any, y: Any, lx: Any, ly: Any, lz: Any, reach: Any) -> Any:
    dx, dy, dz = lx - x, ly - y, lz - depth
    square = dx * dx + dy * dy + dz * dz
    near = F(0)
    if square < reach * reach:
        near = F(1) - np.sqrt(square) / reach
    return near * near


@sycl.kernel
def deferred(it: Any, image: Any, depth: Any, lights: Any, scale: Any, listed: Any, count: Any,
             ends: Any) -> None:
    group, mine = it.get_group(), it.get_local_linear_id()
    y, x = it.get_global_id(0), it.get_global_id(1)
    here = depth[y, x]
    low = sycl.reduce_over_group(group, here, sycl.minimum)
    high = sycl.reduce_over_group(group, here, sycl.maximum)
    if mine == 0:
        count[0] = 0
    sycl.group_barrier(group)
    left, top = F(it.get_group(1) * TILE) * scale, F(it.get_group(0) * TILE) * scale
    side = F(TILE) * scale
    for k in range(mine, lights.shape[0], TILE * TILE):
        reach = lights[k, 3]
        if (lights[k, 2] + reach > low and lights[k, 2] - reach < high
                and lights[k, 0] + reach > left and lights[k, 0] - reach < left + side
                and lights[k, 1] + reach > top and lights[k, 1] - reach < top + side):
            at = sycl.atomic_ref(count, 0, sycl.memory_order.relaxed,
                                 sycl.memory_scope.work_group).fetch_add(1)
            listed[at] = k
    sycl.group_barrier(group)
    total = F(0)
    for m in range(count[0]):
        k = listed[m]
        total += lights[k, 4] * lit(here, F(x) * scale, F(y) * scale, lights[k, 0], lights[k, 1],
                                    lights[k, 2], lights[k, 3])
    image[y, x] = total
    if mine == 0:
        ends[it.get_group_linear_id()] = count[0]


@parallel
def nb_deferred(image: Any, depth: Any, lights: Any, scale: Any) -> None:
    rows, columns = image.shape[0] // TILE, image.shape[1] // TILE
    side = F(TILE) * scale
    for tile in prange(rows * columns):
        y0, x0 = tile // columns * TILE, tile % columns * TILE
        part = depth[y0:y0 + TILE, x0:x0 + TILE]
        low, high = part.min(), part.max()
        left, top = F(x0) * scale, F(y0) * scale
        listed = np.empty(MOST, np.int32)
        count = 0
        for k in range(lights.shape[0]):
            reach = lights[k, 3]
            if (lights[k, 2] + reach > low and lights[k, 2] - reach < high
                    and lights[k, 0] + reach > left and lights[k, 0] - reach < left + side
                    and lights[k, 1] + reach > top and lights[k, 1] - reach < top + side):
                listed[count] = k
                count += 1
        for y in range(y0, y0 + TILE):
            for x in range(x0, x0 + TILE):
                total = F(0)
                for m in range(count):
                    k = listed[m]
                    total += lights[k, 4] * lit(depth[y, x], F(x) * scale, F(y) * scale,
                                                lights[k, 0], lights[k, 1], lights[k, 2],
                                                lights[k, 3])
                image[y, x] = total


def make_deferred(n: int) -> Operands:
    random = np.random.default_rng(1)
    y, x = np.indices((n, n)) / n
    lights = random.random((MOST, 5)).astype(F)
    lights[:, 3] = lights[:, 3] * F(0.15) + F(0.05)
    return Namespace(image=np.full((n, n), -1, F), scale=F(1 / n), lights=lights,
                     depth=(0.5 + 0.4 * np.sin(7 * x) * np.cos(5 * y)).astype(F),
                     listed=Local(np.int32, MOST), count=Local(np.int32, 1),
                     ends=np.zeros((n // TILE)**2, np.int32), space=Nd((n, n), (TILE, TILE)))


DEFERRED = Entry(
    "deferred", make_deferred, 512, 16,
    {"": lambda d: [Step(deferred, d.space, d.image, d.depth, d.lights, d.scale, d.listed, d.count,
                         d.ends)]},
    plain(lambda d: nb_deferred(d.image, d.depth, d.lights, d.scale), "image"), SUMS32,
    "lights are added in any order",
    numba=lambda d: nb_deferred(d.image, d.depth, d.lights, d.scale),
    opencl=lambda d: [Step("deferred", d.space, d.image, d.depth, d.lights, d.scale, d.listed,
                           d.count, d.ends, d.lights.shape[0])])

ENTRIES = [AOBENCH, NOISE, VOLUME, MANDELBROT, DEFERRED]

if __name__ == "__main__":
    show(ENTRIES)
