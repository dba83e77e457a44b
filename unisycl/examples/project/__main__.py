"""One project through all libraries of oneAPI: a film whose pictures a network tells apart.

``python -m unisycl.examples.project [FILM] [--device D] [--frames N] [-o PICTURE.png]``

Tasks of oneTBB shrink the pictures that oneVPL decodes. oneDPL prepares them on the CPU, oneMKL
finds their spectra and what lies in each direction of them, on a GPU if there is one, and a small
network of oneDNN says which way their waves run, on an accelerator if there is one. ``--device``
has one device do all three. What is in between stays in buffers: nothing is copied where devices
share memory. Started by ``mpirun``, each rank takes its share, and oneCCL adds up what they found.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.examples.program import fail, optional
from unisycl.examples.project.chain import CLASSES, Floats, Project, Queues, queues_of
from unisycl.examples.project.film import LUMA, SIDE, Bytes, film
from unisycl.oneapi import ccl, dnn, mkl

STARTERS = "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE"


def ranks() -> ccl.communicator | None:
    """Return the communicator of all ranks; None if the program was not started as ranks."""
    if not any(int(os.environ.get(name) or 1) > 1 for name in STARTERS):
        return None
    mpi = optional("mpi4py", lambda: importlib.import_module("mpi4py.MPI"))
    return ccl.from_mpi(mpi.COMM_WORLD)


def tell(queues: Queues) -> None:
    """Print what runs where, and who does the work."""
    fourier = mkl.provider_of(queues.transform, "mkl.dft", dtype=np.complex64)
    for what, queue, who in (
            ("data prepared by dpl", queues.prepare, "our kernels"),
            ("spectra by mkl.dft", queues.transform, fourier),
            ("directions by mkl.blas", queues.transform, mkl.provider_of(queues.transform)),
            ("network by dnn", queues.infer,
             dnn.provider_of(queues.infer, "inner_product_forward"))):
        device = queue.get_device()
        print(f"{what:22} {device.get_info(sycl.info.device.name)} "
              f"[{device.get_backend().name}]: {who}")


def draw(path: Path, batch: Bytes, scores: Floats) -> None:
    """Draw the first pictures, and how likely their class is."""
    figure = optional("matplotlib", lambda: importlib.import_module("matplotlib.figure"))
    shown = figure.Figure(figsize=(9, 2.2), layout="constrained")
    for k, axes in enumerate(shown.subplots(1, 6)):
        axes.axis("off")
        if k < len(batch):
            axes.imshow(batch[k, :LUMA].reshape(SIDE, SIDE), cmap="gray", vmin=0, vmax=255)
            axes.set_title(f"{CLASSES[scores[k].argmax()]} {scores[k].max():.2f}", fontsize=9)
    shown.savefig(path, dpi=110)
    print(f"written: {path}")


def work(queues: Queues, path: Path | None, frames: int, comm: ccl.communicator | None = None,
         ) -> tuple[Bytes, Floats, Any]:
    """Return this rank's pictures and scores, and how many all ranks found of each class.

    The last count is of the pictures whose class was found as it was made.
    """
    me, size = (comm.rank(), comm.size()) if comm else (0, 1)
    mine = range(me, frames, size)
    batch = film(path, queues.film, mine)
    counts = np.zeros(len(CLASSES) + 1, np.int64)
    scores = np.zeros((0, len(CLASSES)), np.float32)
    if len(batch):
        scores = Project(queues, batch).run()
        best = scores.argmax(1)
        counts[:-1] = np.bincount(best, minlength=len(CLASSES))
        counts[-1] = np.sum(best == np.array(mine[:len(best)]) % len(CLASSES))
    if comm:
        ccl.allreduce(counts, counts, ccl.reduction.sum, comm=comm).wait()
    return batch, scores, counts


def main(given: Sequence[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.project")
    parser.add_argument("film", nargs="?", type=Path)
    parser.add_argument("--device", default="default", help="one device for all parts")
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("-o", "--output", type=Path, help="where to draw pictures and classes")
    options = parser.parse_args(given)
    if options.film is not None and not options.film.is_file():
        fail(f"there is no file {options.film}")
    if options.frames < 1:
        fail("frames are 1 at least")
    queues, comm = queues_of(options.device), ranks()
    try:
        batch, scores, counts = work(queues, options.film, options.frames, comm)
    except sycl.exception as error:
        fail(error.what())
    if comm is None or comm.rank() == 0:
        tell(queues)
        total = int(counts[:-1].sum())
        print(f"{total} pictures" + (f" on {comm.size()} ranks: " if comm else ": ")
              + ", ".join(f"{n} {name}" for name, n in zip(CLASSES, counts, strict=False)))
        if options.output:
            draw(options.output, batch, scores)
        if options.film is None:
            print(f"{counts[-1]} of {total} as they were made")
            return int(counts[-1] != total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
