"""A launcher that is none: processes with the environment that Slurm's ``srun`` gives them.

::

    python -m tests.ranks.srun -n 3 [--mpi=none] program.py ...

Their MPI reaches its own launcher as it reaches that of Slurm, by PMI; with ``--mpi=none``, the
default of many machines, it does not.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests.ranks.processes import starter


def environment(rank: int, size: int) -> dict[str, str]:
    """Return what a process of Slurm's sees."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MPI_LOCAL", "HYDI", "OMPI"))}
    return {**kept, "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_NTASKS": str(size + 4),
            "SLURM_STEP_NUM_TASKS": str(size), "SLURM_PROCID": str(rank),
            "SLURM_LOCALID": str(rank), "SLURM_NODEID": "0"}


def main(words: list[str]) -> int:
    """Start the processes; or become one of them."""
    if words[0] == "--task":
        rank, size = (int(os.environ[name]) for name in ("PMI_RANK", "PMI_SIZE"))
        os.execve(sys.executable, [sys.executable, *words[1:]], environment(rank, size))
    size, rest = int(words[1]), words[2:]
    if rest[0] != "--mpi=none":
        return subprocess.run([starter(), "-n", str(size), sys.executable, "-m", "tests.ranks.srun",
                               "--task", *rest], check=False).returncode
    tasks = [subprocess.Popen([sys.executable, *rest[1:]], env=environment(rank, size))
             for rank in range(size)]
    return max(task.wait() for task in tasks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
