"""``python -m unisycl graph SCRIPT [ARGUMENTS] -o dag.svg``: draw what a program submits.

The script runs as a program, commands and all. A box is a command, with its index space and its
device; an edge says which buffer, by the name of its variable, and which access modes have one
command wait for another. What the program prints goes to standard error. Non-goals: times
(set UNISYCL_TRACE for those).
"""

from __future__ import annotations

import argparse
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import unisycl as sycl
from unisycl.api.queue.recording import text_as
from unisycl.observe.picture import MOST
from unisycl.tools.show import as_program


def add_command(commands: Any) -> None:
    """Add ``graph`` to the command line."""
    parser = commands.add_parser("graph", help="draw what a program submits", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", help="a Python file, run as a program")
    parser.add_argument("-o", "--output", default="-", metavar="FILE",
                        help="a file .svg, .dot or .json; without it: Graphviz to standard output")
    parser.add_argument("--most", type=int, default=MOST, metavar="N",
                        help=f"show the first N commands (default: {MOST})")
    parser.set_defaults(run=run, arguments=[])


def run(options: argparse.Namespace) -> int:
    """Run the script and write the drawing; exit status 1 if the script failed, 2 if nothing is."""
    if not Path(options.script).is_file():
        sys.stderr.write(f"unisycl graph: there is no file '{options.script}'\n")
        return 2
    if options.output != "-":
        text_as(sycl.recording().drawing(), options.output)  # refuses an ending before all work
    seen, status = record_program(options.script, options.arguments, options.most)
    if not len(seen):
        sys.stderr.write(f"unisycl graph: {options.script} submitted nothing\n")
        return status or 2
    if options.output == "-":
        print(seen.drawing().to_dot(), end="")
    else:
        seen.save(options.output)
        sys.stderr.write(f"{options.output}: {seen!r}\n")
    return status


def record_program(script: str, arguments: list[str], most: int) -> tuple[sycl.recording, int]:
    """Run a file as a program; return what it submitted and its exit status, 1 after an error."""
    status = 0
    with sycl.recording(most) as seen, as_program(script, arguments):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as leaving:
            status = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
        except Exception:  # noqa: BLE001 - what it submitted before is drawn all the same
            traceback.print_exc()
            status = 1
    return seen, status
