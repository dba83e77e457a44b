"""``python -m unisycl.testing.joined DOCS FILES... [--add FILE]``: the page of several runs.

Each run of the tests with ``--conformance-json`` told of some devices; here they stand beside each
other. Non-goals: running tests. Invariant: a row that failed in a run has failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from unisycl.testing.report import Report


def joined(texts: list[str]) -> Report:
    """Return the report of several runs, told as JSON."""
    whole = Report([])
    for text in texts:
        told = json.loads(text)
        whole.devices += [name for name in told["devices"] if name not in whole.devices]
        whole.about.update(told["about"])
        for row, cells in told["rows"].items():
            for device, outcome in cells.items():
                whole.record(row, None if device == "any" else device, outcome)
    return whole


def main() -> int:
    """Write the page; the status says whether a row failed in one of the runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("docs", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--add", type=Path, action="append", default=[])
    asked = parser.parse_args()
    report = joined([file.read_text(encoding="utf-8") for file in asked.files])
    failed = [(row, device) for (row, device), found in report.cells.items() if found == "failed"]
    for row, device in failed:
        sys.stdout.write(f"{row} failed on {device}\n")
    for file in asked.add:
        report.add(file.read_text(encoding="utf-8"))
    asked.docs.write_text(report.to_markdown(), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
