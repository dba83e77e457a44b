"""``python -m bench.ispc --ispc PATH [NAMES]``: what is written in ISPC, against ISPC itself.

The corpus's table of forms that a file of ISPC has, with ISPC's narrow and wide target as peers.
Options are those of ``bench.corpus``. Non-goals: other peers.
"""

from __future__ import annotations

import sys

from bench.corpus import __main__ as corpus
from bench.corpus import catalogue, ispc


def main(given: list[str]) -> int:
    """Print the table; return 1 if anything is wrong."""
    if not any(a.startswith("--peers") for a in given):
        given = [*given, "--peers", "ispc,ispc_wide"]
    return corpus.main(given, written)


def written(name: str, form: str) -> bool:
    """Say whether a form is written in ISPC."""
    return ispc.written(*catalogue.entries()[name], form)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
