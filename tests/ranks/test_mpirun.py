"""``python -m unisycl mpirun``: what a user sees when ranks end well, or otherwise."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ranks.processes import ROOT, starter, well
from unisycl.ranks.links import world

PROGRAM = str(Path(__file__).parent / "ends.py")
CALL = [sys.executable, "-m", "unisycl", "mpirun", "-n", "3", PROGRAM]


def mpirun(*way: str, limit: str = "150") -> subprocess.Popen[str]:
    starter()
    return subprocess.Popen([*CALL, *way], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True,
                            env={**os.environ, "UNISYCL_THREADS": "1",
                                 "UNISYCL_RANK_TIMEOUT": limit})


def ends(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return status and texts of a program, of which nothing is left."""
    out, err = process.communicate(timeout=300)
    end = time.monotonic() + 60
    while (left := running(process.pid)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left, (left, out, err)
    return process.returncode, out, err


def running(session: int) -> list[str]:
    """Return the processes of a session that are at work."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(place.name)
    return found


@pytest.mark.row("R-6")
def test_every_end_is_told_once_and_leaves_nothing() -> None:
    status, out, err = ends(mpirun("well"))
    assert (status, err) == (0, "")
    assert well(out) == [0, 1, 2]

    status, out, err = ends(mpirun("raise"))
    assert status == 1
    assert err.startswith("rank 1 of 3 failed:\nTraceback (most recent call last):\n")
    assert err.count("Traceback") == 1
    assert err.endswith("ValueError: no luck\n")
    assert "runpy" not in err
    assert "TERMINATION" not in out + err

    status, out, err = ends(mpirun("vanish"))
    assert status in (1, 9)  # MPICH kills the others, and now and then calls that no failure
    assert "well" not in out
    assert re.match(r"(rank|one of the ranks) .* of 3 (ended before its program had|was ended by)",
                    err), err

    status, out, err = ends(mpirun("kill"))
    assert status == 9
    alone = r"rank 1 of 3 was ended by SIGKILL; its last command was number \d, gather buffer 0"
    several = r"one of the ranks [0-2, ]*1[0-2, ]* of 3 was ended by SIGKILL: .*gather buffer 0.*"
    assert re.fullmatch(f"{alone}|{several}", err.strip(), re.DOTALL), err


@pytest.mark.row("R-6")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_time_limits_end_all_ranks(number: signal.Signals) -> None:
    process = mpirun("loop")
    assert process.stdout is not None
    while "ready" not in process.stdout.readline():
        pass
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:  # as timeout and schedulers end what they have started
        os.kill(process.pid, number)
    status, _, err = ends(process)
    assert status == 128 + number
    how = "interrupted" if number == signal.SIGINT else "ended by SIGTERM"
    assert f"{how}: rank 0 was at command" in err
    assert "Traceback" not in err


@pytest.mark.row("R-6")
def test_a_rank_that_is_stuck_is_missed_within_the_limit() -> None:
    status, _, err = ends(mpirun("stuck"))
    assert status == 1
    assert err.count("Traceback") == 1
    assert "rank 1 did not come within 3 s" in err


def srun(*words: str) -> subprocess.CompletedProcess[str]:
    starter()
    return subprocess.run([sys.executable, "-m", "tests.ranks.srun", *words, PROGRAM, "well"],
                          cwd=ROOT, text=True, capture_output=True, timeout=150, check=False,
                          env={**os.environ, "UNISYCL_THREADS": "1"})


@pytest.mark.part("R-6")
def test_slurm_starts_ranks() -> None:
    done = srun("-n", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert well(done.stdout) == [0, 1]


@pytest.mark.part("R-6")
def test_processes_whose_mpi_knows_of_itself_alone_are_refused() -> None:
    done = srun("-n", "2", "--mpi=none")
    assert done.returncode == 1
    assert "one of 2 that were started together, and mpi4py's MPI (" in done.stderr
    assert "srun --mpi=pmi2" in done.stderr
    assert "is well" not in done.stdout


@pytest.mark.part("R-6")
def test_ranks_that_slurm_starts_know_how_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("PMI", "OMPI_", "MV2_", "SLURM_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SLURM_NTASKS", "8")
    assert world.started_with() == 1  # in an allocation, but not by srun
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    assert world.started_with() == 4
    monkeypatch.delenv("SLURM_STEP_NUM_TASKS")
    assert world.started_with() == 8
    monkeypatch.setenv("PMI_SIZE", "2")
    assert world.started_with() == 2
