"""Test outcomes gathered into rows × devices, and printed: text, JSON, Markdown.

Non-goals: running tests. Invariants: every row is in every output; a missing outcome is
``untested``, and so is a row of which a test was skipped; what needs no device claims nothing of
any device.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from unisycl.testing.rows import load_rows, load_sections

OUTCOMES = ("passed", "failed", "refused", "not built", "untested")
ANYWHERE = "any"
"""The column of tests that need no device."""

_STRENGTH = {name: k for k, name in enumerate((
    "untested", "passed", "skipped", "refused", "not built", "failed"))}


@dataclass(slots=True)
class Report:
    """What each row did on each device. Owned by the plugin; used from the main thread.

    One failed test makes the cell failed; one refused test makes it refused, for the device does
    not offer the whole row; a skipped one leaves it untested. ``about`` says what a device is whose
    name does not.
    """

    devices: list[str]
    about: dict[str, str] = field(default_factory=dict)
    cells: dict[tuple[str, str], str] = field(default_factory=dict)

    def record(self, row: str, device: str | None, outcome: str) -> None:
        """Note one test's outcome; ``device`` None means that the test needs none."""
        at = row, ANYWHERE if device is None else device
        if _STRENGTH[outcome] > _STRENGTH[self.cells.get(at, "untested")]:
            self.cells[at] = outcome

    @property
    def columns(self) -> list[str]:
        """The devices, and before them what needs none."""
        return [ANYWHERE, *self.devices]

    def add(self, text: str) -> None:
        """Add a column of a device elsewhere: JSON with ``name``, ``about`` and ``rows``."""
        told = json.loads(text)
        name = told["name"]
        self.devices.append(name)
        self.about[name] = told["about"]
        self.cells.update({(r, name): o for r, o in told["rows"].items() if r in load_rows()})

    def outcome(self, row: str, device: str) -> str:
        """Return one cell."""
        found = self.cells.get((row, device), "untested")
        return "untested" if found == "skipped" else found

    def totals(self, device: str) -> dict[str, int]:
        """Return how many rows had each outcome on a device."""
        count = Counter(self.outcome(row, device) for row in load_rows())
        return {outcome: count[outcome] for outcome in OUTCOMES}

    def to_json(self) -> str:
        """Return the machine-readable form, which tells *skipped* from *untested*."""
        rows = {r: {d: self.cells.get((r, d), "untested") for d in self.columns}
                for r in load_rows()}
        told = {"devices": self.devices, "about": self.about, "rows": rows}
        return json.dumps(told, indent=1) + "\n"

    def to_text(self) -> str:
        """Return the table for a terminal."""
        head = f"{'row':6}{'':52}" + "".join(f"{d:>10}" for d in self.columns)
        lines = [head]
        for row, title in load_rows().items():
            cells = "".join(f"{_short(self.outcome(row, d)):>10}" for d in self.columns)
            lines.append(f"{row:6}{title:52}{cells}")
        lines += ["", f"{'totals':58}" + "".join(f"{d:>10}" for d in self.columns)]
        totals = {d: self.totals(d) for d in self.columns}
        lines += [f"{outcome:58}" + "".join(f"{totals[d][outcome]:>10}" for d in self.columns)
                  for outcome in OUTCOMES]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return the page for the documentation."""
        rule = "|-" * (len(self.columns) + 1) + "|"
        out = ["# Conformance", "",
               "What each device does with each row. `python dev.py conformance --from` writes it",
               "from runs of `python dev.py ci` at both turns, in which devices of one backend",
               "change places (all tests of each row, a few cases of those that have many); do not",
               "edit. *any*: what needs no device, of names, texts, drivers made up for a test;",
               "they say nothing of a device. *refused*: the device lacks what the row needs, and",
               "was asked. *not built*: no device was asked; unisycl does not have it yet.",
               "*untested*: no test checks the row here, or one of them was skipped, so nothing is",
               "claimed.", "",
               *(f"- `{name}`: {what}" for name, what in self.about.items()),
               *([""] if self.about else []), f"|rows|{'|'.join(self.columns)}|", rule]
        totals = {d: self.totals(d) for d in self.columns}
        out += [f"|{o}|" + "|".join(str(totals[d][o]) for d in self.columns) + "|"
                for o in OUTCOMES]
        for letter, title in load_sections().items():
            out += ["", f"## {letter}. {title}", "",
                    f"|row|feature|{'|'.join(self.columns)}|", "|-" + rule]
            out += [f"|{row}|{name}|" + "|".join(self.outcome(row, d) for d in self.columns) + "|"
                    for row, name in load_rows().items() if row.startswith(f"{letter}-")]
        return "\n".join(out) + "\n"


def _short(outcome: str) -> str:
    """Return what a cell of the terminal table shows."""
    return "-" if outcome == "untested" else outcome.upper() if outcome == "failed" else outcome
