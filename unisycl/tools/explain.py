"""``python -m unisycl explain FILE:KERNEL``: what was vectorised, what became a gather, and why.

The file is run as a program, as ``show`` does. Non-goals: code (``show``), times (``bench``).
"""

from __future__ import annotations

import argparse
from typing import Any

from unisycl.tools import show


def add_command(commands: Any) -> None:
    """Add ``explain`` to the command line."""
    parser = commands.add_parser("explain", help="say how a kernel runs in vectors, and why",
                                 description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", metavar="FILE:KERNEL",
                        help="a Python file and the name of a kernel it launches")
    parser.set_defaults(run=run, arguments=[])


def run(options: argparse.Namespace) -> int:
    """Explain every kernel of that name; exit status 2 if that cannot be."""
    return show.show(options, "explain")
