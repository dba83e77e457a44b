"""docs/settings.md, made of the rows of ``base/settings.py``.

Written by ``python -m tests.arch.settings_page``. Non-goals: what the settings do; other pages
say that.
"""

from __future__ import annotations

from tests.arch.sources import ROOT
from unisycl.base import settings

PAGE = ROOT / "docs" / "settings.md"
_HEAD = """# Settings

Environment variables change what unisycl does without a change of the program. Set them before the
program starts:

    UNISYCL_DEVICE=host UNISYCL_DEBUG=1 python program.py

`python -m unisycl doctor` lists them all with their present values. A value that means nothing is
refused, with those that may be given, when the program first looks for devices. A name that is
nearly one of these does nothing; a warning tells it once. An empty value is the same as none.
"""
_GONE = """
## Names of the past

These are refused.

"""
_FOOT = """
This page is made from `unisycl/base/settings.py` by `python -m tests.arch.settings_page`.
"""


def page_text() -> str:
    """Return the text of the page."""
    parts = [f"\n## {row.name}\n\n{row.doc}\n\n- Values: {row.values}.\n- Not set: {row.unset}.\n"
             for row in settings.VARIABLES.values()]
    gone = [f"- `{name}`: set `{instead}`.\n" for name, instead in settings.GONE.items()]
    return "".join([_HEAD, *parts, _GONE, *gone, _FOOT])


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
