"""``python -m unisycl``: the devices; ``doctor``, ``explain``, ``mpirun`` and others for the rest.

Non-goals: the commands themselves (one file each in ``tools``).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import unisycl as sycl
from unisycl.tools import build, cache, devices, doctor, explain, graph, mpirun, show, simulate


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; each command adds its own part."""
    parser = argparse.ArgumentParser(
        prog="python -m unisycl", description="SYCL for Python. Without a command: the devices.")
    parser.add_argument("--version", action="version", version=f"unisycl {sycl.__version__}")
    parser.set_defaults(run=devices.run)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in (devices, doctor, graph, show, explain, build, cache, mpirun, simulate):
        module.add_command(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit status."""
    parser = make_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and not hasattr(options, "arguments"):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.arguments = rest
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads this has seen enough; the rest goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except sycl.exception as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
