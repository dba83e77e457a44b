"""The texts given to ``exec`` and ``compile`` under names that are no file's, such as <string>.

Python keeps no source for those, and an audit hook is the only place that sees it. A hook makes
every ``id()`` and many another call of the program slower, so programs ask for it. Texts that
pickled kernels bring along are kept here, too. Non-goals: finding functions in the texts.
Invariant: the hook looks at compile events only, changes nothing and never raises.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from typing import Any

_NAMES = 256
_PER_NAME = 512
_LONGEST = 1 << 20
_texts: OrderedDict[str, list[str]] = OrderedDict()
_watching = False


def remember_exec() -> None:
    """Remember the texts given to ``exec`` and ``eval`` from here on: they may hold kernels.

    Kernels in files, notebooks, at the prompt and in ``python -c`` need no such call. The audit
    hook that it installs cannot be removed and makes each audited call, ``id()`` among them, about
    0.1 us slower. A second call does nothing.
    """
    global _watching
    if not _watching:
        _watching = True
        sys.addaudithook(_on_audit)


def texts(name: str) -> list[str]:
    """Return the texts compiled under a file name, the latest first."""
    return _texts.get(name, [])[::-1]


def remember(name: str, text: str) -> None:
    """Keep a text that was compiled under a file name."""
    if len(text) >= _LONGEST:
        return
    known = _texts.setdefault(name, [])
    if text in known:
        known.remove(text)
    known.append(text)
    del known[:-_PER_NAME]
    while len(_texts) > _NAMES:
        _texts.popitem(last=False)


def _on_audit(event: str, args: tuple[Any, ...]) -> None:
    if event != "compile" or len(args) != 2:
        return
    text, name = args
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    if not isinstance(name, str) or name[:7] == "<frozen":
        return
    if name[:1] != "<" and _is_file(name):
        return
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    if isinstance(text, str) and len(text) < _LONGEST and _may_hold_kernels(text):
        remember(name, text)


def _is_file(name: str) -> bool:
    try:
        return os.path.exists(name)  # noqa: PTH110 - every import comes here
    except (OSError, ValueError):
        return False


def _may_hold_kernels(text: str) -> bool:
    """Say whether a text defines functions of somebody's own; dataclasses make theirs with exec."""
    return ("def " in text or "lambda" in text) and "__create_fn__" not in text
