"""The chain of the project: oneDPL, oneMKL and oneDNN over buffers that none of them copies.

Non-goals: where pictures come from, and what is told of them. Invariant: what is between two
libraries is one buffer, which both use where it lies; it moves only to another device's memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.program import fail, make_queue
from unisycl.examples.project.film import LUMA, PITCH, SIDE, Bytes
from unisycl.oneapi import dnn, dpl, mkl, tbb
from unisycl.oneapi.dnn import arg, memory

SECTORS, CLASSES = 12, ("upright", "rising", "falling")
BINS = SIDE * (SIDE // 2 + 1)
Floats = npt.NDArray[np.float32]


@dataclass
class Queues:
    """Where each part runs; parts on one device share a queue."""

    film: sycl.queue
    prepare: sycl.queue
    transform: sycl.queue
    infer: sycl.queue


def queues_of(name: str) -> Queues:
    """Return one device's queue for the chain, or the best device for each part of it."""
    known: dict[sycl.device, sycl.queue] = {}
    cpu, usual = sycl.cpu_selector_v, sycl.default_selector_v

    def first(*selectors: Any) -> sycl.queue:
        for selector in selectors:
            try:
                device = sycl.device(selector)
            except sycl.exception:
                continue  # there is no such device
            return known.setdefault(device, sycl.queue(device))
        return fail("there is no device")

    if name != "default":
        return Queues(first(cpu, usual), *[make_queue(name)] * 3)
    return Queues(first(cpu, usual), first(cpu, usual), first(sycl.gpu_selector_v, cpu, usual),
                  first(sycl.accelerator_selector_v, usual))


def fading(k: int) -> np.float32:
    """Return by how much pixel k counts: all in the middle, nothing at the edges."""
    unit = np.float32(np.pi / SIDE)
    down = sycl.sin((np.float32(k % LUMA // SIDE) + np.float32(0.5)) * unit)
    along = sycl.sin((np.float32(k % SIDE) + np.float32(0.5)) * unit)
    return np.float32(down * down * along * along)


def directions() -> Floats:
    """Return which part of a spectrum, real and imaginary, lies in which direction."""
    down, along = np.meshgrid(np.fft.fftfreq(SIDE), np.fft.rfftfreq(SIDE), indexing="ij")
    far = np.hypot(down, along)
    sector = np.round(np.arctan2(down, along) / np.pi * SECTORS).astype(int) % SECTORS
    lies = (sector[..., None] == np.arange(SECTORS)) & (far > 0.1)[..., None]
    return np.repeat(lies.reshape(BINS, SECTORS) / LUMA, 2, axis=0).astype(np.float32)


def weights() -> tuple[Floats, Floats]:
    """Return the network's: what stands out of the mean, and which class directions speak for."""
    centres = np.arange(len(CLASSES)) * SECTORS // 3
    apart = np.abs(np.arange(SECTORS) - centres[:, None])
    near = np.minimum(apart, SECTORS - apart) <= 1
    return (np.eye(SECTORS) - 1 / SECTORS).astype(np.float32), (near / 4).astype(np.float32)


@dataclass
class Project:
    """The chain from pictures to classes; each memory is written once and read where it is."""

    queues: Queues
    batch: Bytes
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = len(self.batch)
        self.pixels = sycl.buffer(self.batch.reshape(-1))
        self.given = [sycl.buffer(w) for w in (directions(), *weights())]

        def room(columns: int, dtype: npt.DTypeLike = np.float32) -> Any:
            return sycl.buffer(self.count * columns, dtype=dtype)

        self.samples, self.spectra = room(LUMA), room(BINS, np.complex64)
        self.features, self.hidden = room(SECTORS), room(SECTORS)
        self.scores = sycl.buffer((self.count, len(CLASSES)), dtype=np.float32)

    def prepare(self) -> None:
        """Make numbers around zero of the brightness, which fade out to the edges: oneDPL."""
        n = self.count * LUMA
        places = dpl.transform_iterator(dpl.counting_iterator(0, n),
                                        lambda k: k // LUMA * PITCH + k % LUMA)
        fade = dpl.transform_iterator(dpl.counting_iterator(0, n), fading)
        dpl.transform(self.queues.prepare, dpl.permutation_iterator(self.pixels, places), fade,
                      self.samples, lambda v, w: (np.float32(v) - np.float32(128)) * w)

    def transform(self) -> None:
        """Find the spectra, and how strong they are in each direction: oneMKL."""
        q, dft, n = self.queues.transform, mkl.dft, 2 * BINS
        plan, key = dft.descriptor(dft.precision.SINGLE, dft.domain.REAL, [SIDE, SIDE]), \
            dft.config_param
        for name, value in ((key.NUMBER_OF_TRANSFORMS, self.count), (key.FWD_DISTANCE, LUMA),
                            (key.BWD_DISTANCE, BINS),
                            (key.PLACEMENT, dft.config_value.NOT_INPLACE)):
            plan.set_value(name, value)
        plan.commit(q)
        dft.compute_forward(plan, self.samples, self.spectra)
        parts = self.spectra.reinterpret(np.float32, sycl.range(self.count * n))
        mkl.vm.sqr(q, self.count * n, parts, parts)
        plain = mkl.transpose.nontrans
        mkl.blas.row_major.gemm(q, plain, plain, self.count, SECTORS, n, 1, parts, n, self.given[0],
                                SECTORS, 0, self.features, SECTORS)
        mkl.vm.log1p(q, self.count * SECTORS, self.features, self.features)

    def infer(self) -> sycl.event:
        """Find how likely each class is: oneDNN."""
        e, s = dnn.engine(self.queues.infer), dnn.stream(self.queues.infer)
        src, inner, outer, dst = (
            memory.desc(d, memory.data_type.f32, memory.format_tag.ab) for d in (
                (self.count, SECTORS), (SECTORS, SECTORS), (len(CLASSES), SECTORS),
                (self.count, len(CLASSES))))
        how, relu, attr = dnn.prop_kind.forward_inference, dnn.post_ops(), dnn.primitive_attr()
        relu.append_eltwise(dnn.algorithm.eltwise_relu, 0, 0)
        attr.set_post_ops(relu)
        layer = dnn.inner_product_forward
        first = layer(layer.primitive_desc(e, how, src, inner, src, attr=attr))
        second = layer(layer.primitive_desc(e, how, src, outer, dst))
        last = dnn.softmax_forward(dnn.softmax_forward.primitive_desc(
            e, how, dnn.algorithm.softmax_accurate, dst, dst, 1))
        first.execute(s, {arg.SRC: self.features, arg.WEIGHTS: self.given[1], arg.DST: self.hidden})
        second.execute(s, {arg.SRC: self.hidden, arg.WEIGHTS: self.given[2], arg.DST: self.scores})
        return last.execute(s, {arg.SRC: self.scores, arg.DST: self.scores})

    def run(self) -> Floats:
        """Run all; return how likely each picture is of each class, as a task of oneTBB saw it."""
        self.prepare()
        self.transform()
        done, found, tasks = self.infer(), [], tbb.task_group()

        def look() -> None:
            with sycl.host_accessor(self.scores, sycl.read_only) as seen:
                found.append(np.array(seen))

        tasks.run(look, depends_on=[done])
        tasks.wait()
        return found[0]
