"""Distributed buffers in files: HDF5 and Zarr, each rank its part.

HDF5 files are written by one rank after another, since one process at a time may write them; parts
of Zarr arrays by all at once, in chunks that no two ranks share. Non-goals: other formats.
Invariant: what any number of ranks wrote any number of ranks reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.api.memory.access import read_only_host_task, write_only_host_task
from unisycl.api.properties import no_init
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.graph.mappers import chunk
from unisycl.ranks.queue.distr_buffer import distr_buffer
from unisycl.ranks.queue.part_accessor import part_accessor
from unisycl.ranks.queue.places import collective

_READS = (read_only_host_task,)
_OVERWRITES = (write_only_host_task, no_init)


def _format(path: Path) -> str:
    if path.suffix in (".h5", ".hdf5"):
        return "h5py"
    if path.suffix == ".zarr":
        return "zarr"
    raise UsageError(errc.invalid, f"{path.name}: files are .h5, .hdf5 or .zarr")


def _module(name: str) -> Any:
    try:
        if name == "h5py":
            import h5py  # noqa: PLC0415 -- optional
            return h5py
        import zarr  # noqa: PLC0415 -- optional
    except ImportError as error:
        raise UsageError(errc.invalid, f"{name} is not here: pip install {name}") from error
    return zarr


def rows_of(shape: tuple[int, ...], size: int, rank: int) -> tuple[int, int]:
    """Return the rows that a rank writes to files: as many for each, but for the last ones."""
    each = max(1, -(-shape[0] // size))
    return min(shape[0], rank * each), min(shape[0], (rank + 1) * each)


def save(queue: Any, path: Any, buffers: Mapping[str, distr_buffer]) -> None:
    """Write buffers to a file, each rank its rows; collective, and waits."""
    from_here = Path(path)
    kind = _format(from_here)
    module = _module(kind)
    write = _write_hdf5 if kind == "h5py" else _write_zarr
    for name, buffer in buffers.items():
        if not isinstance(buffer, distr_buffer):
            raise UsageError(errc.invalid, f"save: '{name}' is no distr_buffer")
    first = True
    for name, buffer in buffers.items():
        write(module, queue, from_here, name, buffer, fresh=first)
        first = False


def _task(queue: Any, buffer: distr_buffer, tag: Any,
          body: Callable[[Any, Any], None]) -> None:
    """Run a function of a partition and an accessor on all ranks together, and wait."""
    shape, size = buffer.shape, queue.size

    def mapper(part: chunk) -> Any:
        low, high = rows_of(shape, size, part.start[0])
        return ((low, high), *(slice(None) for _ in shape[1:]))

    def group(h: Any) -> None:
        a = part_accessor(buffer, h, mapper, *tag)
        h.host_task(lambda p: body(p, a), on=collective)
    queue.submit(group)
    queue.wait()


def _write_hdf5(module: Any, queue: Any, path: Path, name: str, buffer: distr_buffer, *,
                fresh: bool) -> None:
    def body(p: Any, a: Any) -> None:
        for turn in range(p.size):
            if turn == p.rank:
                with module.File(path, "w" if fresh and turn == 0 else "a") as file:
                    data = file.require_dataset(name, buffer.shape, buffer.dtype)
                    if a.declared is not None:
                        data[a.part_slices()] = a.part()
            p.communicator.barrier()
    _task(queue, buffer, _READS, body)


def _write_zarr(module: Any, queue: Any, path: Path, name: str, buffer: distr_buffer, *,
                fresh: bool) -> None:
    def body(p: Any, a: Any) -> None:
        if p.rank == 0:
            low, high = rows_of(buffer.shape, p.size, 0)
            group = module.open_group(path, mode="w" if fresh else "a")
            group.create_array(name, shape=buffer.shape, dtype=buffer.dtype, overwrite=True,
                               chunks=(max(1, high - low), *buffer.shape[1:]))
        p.communicator.barrier()
        if a.declared is not None:
            module.open_group(path, mode="a")[name][a.part_slices()] = a.part()
        p.communicator.barrier()
    _task(queue, buffer, _READS, body)


def load(queue: Any, path: Any, name: str) -> distr_buffer:
    """Return a buffer with what a file has, each rank its rows; collective, and waits."""
    from_here = Path(path)
    kind = _format(from_here)
    module = _module(kind)

    def opened() -> Any:
        return module.File(from_here, "r") if kind == "h5py" else module.open_group(
            from_here, mode="r")
    try:
        file = opened()
    except (OSError, ValueError) as error:
        raise UsageError(errc.invalid, f"load: {path} cannot be read: {error}") from error
    known = sorted(file)
    found = file[name] if name in known else None
    shape, dtype = getattr(found, "shape", None), getattr(found, "dtype", None)
    if kind == "h5py":
        file.close()
    if shape is None or dtype is None or not shape:
        raise UsageError(errc.invalid, f"load: {path} has no array '{name}'; it has "
                         f"{', '.join(known) or 'nothing'}")
    shape, dtype = tuple(shape), np.dtype(dtype)
    made = distr_buffer(shape, dtype)

    def body(p: Any, a: Any) -> None:
        if a.declared is not None:
            file = opened()
            a.part()[...] = file[name][a.part_slices()]
            if kind == "h5py":
                file.close()
    _task(queue, made, _OVERWRITES, body)
    return made
