"""The conformance suite on Oclgrind: invalid accesses, races, values that nothing set.

    python dev.py oclgrind [PATHS] [--notes FILE] [--seconds 120] [--all-cases] [-k EXPRESSION]

They run in a pytest with ``tests.device.simulator``; a test that takes longer than ``--seconds``
ends its pytest, and another goes on behind it. Programs are compiled without
optimisation: Oclgrind reads LLVM's, and finds fault with what the optimiser may do
(docs/dev/opencl.md). FILE gets a JSON line for each test as it ends; tests in it are not run again.
Tests that the check of uninitialised values ended by a fault of its own run again without it.
Non-goals: speed.
Invariant: the exit status is 0 only if every test passed, was refused or skipped, and nothing was
reported but what ``EXPLAINED`` explains.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.device import simulator

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_UNINITIALIZED": "1", "OCLGRIND_NUM_THREADS": "1",
            "OCLGRIND_MAX_ERRORS": "1000000", "OCLGRIND_BUILD_OPTIONS": "-cl-opt-disable",
            "UNISYCL_BACKENDS": "cpu,host,opencl"}

COLLECTING = 300.0  # seconds before the first test
ENDED = r"FATAL ERROR \(\./src/plugins/Uninitialized\.cpp"
"""What is reported where that check itself fails: at functions that return a second value by a
pointer to private memory."""

EXPLAINED: tuple[tuple[str, str, str], ...] = (
    (r"test_opencl_arrays\.py::test_(events_go_both_ways|a_part_that_is_not_aligned_waits_too)",
     "^Uninitialized value written to global memory",
     "the shadow of global memory is not corrected while a user event holds commands back"),
    (r"test_native_accessors\.py::test_the_event_follows_what_only_the_host_does", "^more than",
     "it waits for a user event that is set behind a flush, put off until all user events are set"))
"""Patterns over a test, over the text of a report or a failure, and why it is none of ours."""


def main() -> int:
    """Run the tests; say what was reported."""
    parser = argparse.ArgumentParser(prog="dev.py oclgrind", description=__doc__)
    parser.add_argument("paths", nargs="*", default=["tests/conformance"])
    parser.add_argument("--notes", default="", metavar="FILE",
                        help="keep what each test did, and go on behind what it holds")
    parser.add_argument("--seconds", type=float, default=120.0, help="for one test")
    parser.add_argument("--all-cases", action="store_true", help="not only a few of each test")
    parser.add_argument("-k", default="", metavar="EXPRESSION", help="only these tests")
    options = parser.parse_args()
    if not Path(simulator.LIBRARY).exists():
        sys.exit(f"{simulator.LIBRARY} does not exist; do: apt-get install oclgrind")
    with tempfile.TemporaryDirectory(prefix="unisycl-oclgrind-") as folder:
        notes = Path(options.notes or f"{folder}/notes").resolve()
        env = environment(Path(folder))
        extra = [] if options.all_cases else ["--sample"]
        extra += ["-k", options.k] if options.k else []
        env["OCLGRIND_LOG"] = f"{folder}/checked.log"
        run(" ".join(options.paths), options.paths, env, notes, options.seconds, extra)
        run_unchecked({**env, "OCLGRIND_LOG": f"{folder}/unchecked.log"}, notes, options.seconds)
        return summary(notes)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a run: the simulator is the only OpenCL device."""
    vendors = folder / "vendors"
    vendors.mkdir()
    (vendors / "oclgrind.icd").write_text(f"{simulator.LIBRARY}\n", encoding="utf-8")
    return {**os.environ, **SETTINGS, "OCL_ICD_VENDORS": str(vendors), "TMPDIR": str(folder)}


def run_unchecked(env: dict[str, str], notes: Path, seconds: float) -> None:
    """Run those tests again that Oclgrind's check of uninitialised values has ended, without it."""
    tests = [told["test"] for told in results(notes)
             if any(re.search(ENDED, report["text"]) for report in told["reports"])]
    if not tests:
        return
    env = {name: value for name, value in env.items() if name != "OCLGRIND_UNINITIALIZED"}
    second = Path(env["OCLGRIND_LOG"]).with_suffix(".notes")
    run("without that check", tests, env, second, seconds, [])
    with notes.open("a", encoding="utf-8") as stream:
        for told in results(second):
            stream.write(json.dumps({**told, "unchecked": True}) + "\n")


def run(name: str, targets: list[str], env: dict[str, str], notes: Path, seconds: float,
        extra: list[str]) -> None:
    """Run the tests of folders and files, going on behind those that crash or take too long."""
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p",
               "tests.device.simulator", "--simulator-notes", str(notes), "--device", "opencl",
               "--device-tests", *extra, *targets]
    while True:  # pytests that end early
        before = time.monotonic()
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, text=True,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            late = watch(process, notes, seconds)
            output.seek(0)
            text = output.read()
        last = text.strip().splitlines()[-1:] or [""]
        print(f"{name}: {last[0][:100]} ({time.monotonic() - before:.0f} s)", flush=True)
        test = unfinished(notes)
        if test is None:
            if process.returncode not in (0, 1, 5):
                note(notes, name, "crashed", text[-3000:])
            return
        note(notes, test, "late" if late else "crashed",
             f"more than {seconds:.0f} s" if late else text[-6000:])


def watch(process: subprocess.Popen[str], notes: Path, seconds: float) -> bool:
    """Wait for a pytest; end it if one test takes too long, and say so."""
    known = notes.stat().st_size if notes.exists() else 0
    since, allowed = time.monotonic(), seconds + COLLECTING
    while process.poll() is None:
        time.sleep(0.2)
        size = notes.stat().st_size if notes.exists() else 0
        if size != known:
            known, since, allowed = size, time.monotonic(), seconds
        if time.monotonic() - since > allowed:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True
    return False


def read(notes: Path) -> list[dict[str, Any]]:
    """Return the notes taken."""
    if not notes.exists():
        return []
    return [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]


def results(notes: Path) -> list[dict[str, Any]]:
    """Return what each test did, the last time that it ran."""
    return list({told["test"]: told for told in read(notes) if "test" in told}.values())


def unfinished(notes: Path) -> str | None:
    """Return the test that was begun last and has not ended."""
    told = read(notes)
    return str(told[-1]["begun"]) if told and "begun" in told[-1] else None


def note(notes: Path, test: str, outcome: str, why: str) -> None:
    """Note what a test did that cannot say it itself."""
    with notes.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"test": test, "outcome": outcome, "why": why, "seconds": 0,
                                 "reports": []}) + "\n")


def explained(test: str, text: str) -> str | None:
    """Return why a report is none of ours."""
    return next((why for where, what, why in EXPLAINED
                 if re.search(where, test) and re.search(what, text)), None)


def summary(notes: Path) -> int:
    """Print what the tests did, by reason, and every report; return the exit status."""
    done = results(notes)
    bad = [told for told in done if told["outcome"] not in ("passed", "skipped")
           and not explained(told["test"], told["why"])]
    skipped = Counter(reason(told["why"]) for told in done if told["outcome"] == "skipped")
    known = Counter(explained(told["test"], told["why"]) or "" for told in done
                    if told["outcome"] not in ("passed", "skipped"))
    reports = 0
    for told in done:
        for report in told["reports"]:
            why = explained(told["test"], report["text"])
            known[why or ""] += 1
            if why is None:
                reports += 1
                print(f"\n{told['test']} ({report['count']} times)\n{report['text']}")
    for told in bad:
        print(f"\n{told['test']}: {told['outcome']}\n{told['why']}")
    outcomes = Counter(told["outcome"] for told in done)
    print("\n" + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()),
          f"; {reports} kinds of reports not explained")
    unchecked = sum(1 for told in done if told.get("unchecked"))
    if unchecked:
        print(f"  {unchecked} without the check of uninitialised values, which ended them")
    for what, counts in (("skipped", skipped), ("explained", known)):
        for why, count in counts.most_common():
            if why:
                print(f"  {what} {count:4}: {why}")
    return 1 if bad or reports else 0


def reason(text: str) -> str:
    """Return why a test was skipped, without the names of kernels and devices."""
    text = re.sub(r"'[^']*'", "'...'", text.removeprefix("Skipped: "))
    return re.sub(r"\d{3,}", "N", text.splitlines()[0] if text else "")[:150]


if __name__ == "__main__":
    sys.exit(main())
