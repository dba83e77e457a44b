"""The folder this process was in when unisycl was imported: what relative paths in settings mean.

Non-goals: the settings (``settings``). Invariant: a later ``chdir`` changes nothing here; '' where
that folder was gone already.
"""

from __future__ import annotations

import os


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - imported with the package, before pathlib is needed
    except OSError:
        return ""


FOLDER = _here()
