"""Everything about one OpenCL device in one run: what it is, the conformance suite, its speed.

For machines on which nothing is installed and nothing can be downloaded::

    python -m tests.device.opencl --wheels .whl --out DIR [--library libnvidia-opencl.so.1]

The wheels (PyOpenCL and what it needs) are installed into a temporary folder. DIR receives
``devices.txt``, ``conformance.json`` and ``.txt`` (rows, and the failures shortened),
``shared.txt`` (what shared memory costs), ``speed.json`` and ``.txt``. With a name and a line about
the device (``--name``, ``--about``), ``conformance.json`` may be put into ``docs/dev/devices``: a
column of the page of conformance. These two are written anew behind each file of tests. With
``--continue`` files whose results lie in ``DIR/files`` are not run again: so a suite that was cut
short goes on, and tells in the end of all of it.
Non-goals: judging; a failed part is reported and the next one runs.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib",
           "/usr/local/lib", "/usr/local/nvidia/lib", "/usr/local/cuda/lib64",
           "/usr/local/cuda/compat")
_SHOWN = 3  # failures of one test that are shown
_ALSO = (ROOT / "tests" / "diagnostics" / "test_diagnostics.py",
         ROOT / "tests" / "examples" / "test_timing.py")
_ENDED = (0, 1, 5)  # the statuses of a pytest that ran its tests
_STRENGTH = {name: k for k, name in enumerate((
    "untested", "passed", "skipped", "refused", "not built", "failed"))}


def find(library: str) -> Path:
    """Return where a library lies; the loader's cache is asked last."""
    for folder in (*os.environ.get("LD_LIBRARY_PATH", "").split(":"), *FOLDERS):
        if folder and (Path(folder) / library).is_file():
            return Path(folder) / library
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        if line.strip().startswith(library):
            return Path(line.rpartition("=> ")[2].strip())
    hits = subprocess.run(["find", "/usr", "/opt", "-name", library + "*"], capture_output=True,
                          text=True, check=False).stdout.split()
    if hits:
        return Path(hits[0])
    sys.exit(f"{library} was not found on this machine")


def environment(options: argparse.Namespace, work: Path) -> dict[str, str]:
    """Return the environment of everything that runs: wheels, runtime, backends."""
    paths = [str(ROOT)]
    if options.wheels:
        site = work / "site"
        wheels = [str(w) for w in sorted(Path(options.wheels).glob("*.whl"))]
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps",
                        "--no-compile", "--no-cache-dir", "--target", str(site), *wheels],
                       check=True)
        paths.append(str(site))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")]),
           "UNISYCL_BACKENDS": options.backends, "PYTHONUNBUFFERED": "1",
           "PYTHONDONTWRITEBYTECODE": "1"}
    if options.library:
        vendors = work / "vendors"
        vendors.mkdir()
        (vendors / "device.icd").write_text(f"{find(options.library)}\n")
        env["OCL_ICD_VENDORS"] = str(vendors)
        env.pop("OCL_ICD_FILENAMES", None)
    return env


def say(text: str) -> None:
    """Print at once, with the time."""
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def call(env: dict[str, str], seconds: float, *command: str) -> tuple[int, str]:
    """Run ``python *command``; return its exit status and output; 124 where it took too long."""
    try:
        done = subprocess.run([sys.executable, *command], cwd=ROOT, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=max(1.0, seconds))
    except subprocess.TimeoutExpired as late:
        text = late.stdout or b""
        return 124, text.decode(errors="replace") if isinstance(text, bytes) else text
    return done.returncode, done.stdout


class Suite:
    """The conformance suite on one device: a pytest for each file or a few, several at a time."""

    def __init__(self, env: dict[str, str], device: str, work: Path, stop: float) -> None:
        self.env, self.device, self.work, self.stop = env, device, work, stop
        self.seen, self.all = 0, 0  # files that ended, and all of them
        self.counts: Counter[str] = Counter()
        self.rows: dict[str, str] = {}
        self.failures: list[str] = []
        self.shown: Counter[str] = Counter()
        self.lacks: Counter[str] = Counter()  # what tests were refused for

    def run(self, workers: int, together: int, extra: list[str],
            told: Callable[[Suite], None]) -> None:
        """Run all files, the largest first, and gather what they say; ``told`` keeps it."""
        files = sorted([*(ROOT / "tests" / "conformance").rglob("test_*.py"), *_ALSO],
                       key=lambda f: -f.stat().st_size)
        self.all = len(files)
        left = [f for f in files if not self._status(f).exists()]
        for file in files:
            if file not in left:
                self._gather([file], int(self._status(file).read_text()), "")
        told(self)
        for file in left:
            for kind in ("xml", "json"):  # of a pytest that was cut short
                (self.work / f"{self._name(file)}.{kind}").unlink(missing_ok=True)
        groups = [left[k:k + together] for k in range(0, len(left), together)]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for group, status, text in pool.map(lambda g: self._some(g, extra), groups):
                self._gather(group, status, text)
                told(self)
                last = text.strip().splitlines()[-1:] or [""]
                say(f"{', '.join(map(self._name, group))}: {last[0][:120]}")

    def _name(self, file: Path) -> str:
        return str(file.relative_to(ROOT / "tests")).replace("/", ".")

    def _status(self, file: Path) -> Path:
        return self.work / f"{self._name(file)}.status"

    def _some(self, group: list[Path], extra: list[str]) -> tuple[list[Path], int, str]:
        if time.monotonic() > self.stop:
            return group, 124, "no time was left"
        name = self._name(group[0])
        status, text = call(
            self.env, self.stop - time.monotonic(), "-m", "pytest", "-q", "--tb=short", "-p",
            "no:cacheprovider", "-k", self.device,
            f"--junitxml={self.work}/{name}.xml",
            f"--conformance-json={self.work}/{name}.json", *extra, *map(str, group))
        if status in _ENDED:
            for file in group:
                self._status(file).write_text(str(status))
        return group, status, text

    def _gather(self, group: list[Path], status: int, text: str) -> None:
        name = self._name(group[0])
        if status in _ENDED:
            self.seen += len(group)
        else:
            self.failures.append(f"== {name}: exit status {status}\n{text[-3000:]}")
        tree = self.work / f"{name}.xml"
        if tree.exists():
            for case in ET.parse(tree).iter("testcase"):
                self._case(case)
        table = self.work / f"{name}.json"
        if table.exists():
            for row, cells in json.loads(table.read_text())["rows"].items():
                new, old = cells.get(self.device, "untested"), self.rows.get(row, "untested")
                if _STRENGTH[new] >= _STRENGTH[old]:
                    self.rows[row] = new

    def _case(self, case: ET.Element) -> None:
        bad = case.find("failure") if case.find("failure") is not None else case.find("error")
        skipped = case.find("skipped")
        if bad is not None:
            self.counts["failed"] += 1
            name = f"{case.get('classname')}::{case.get('name')}"
            test = name.partition("[")[0]
            self.shown[test] += 1
            if self.shown[test] > _SHOWN:
                return
            lines = (bad.text or "").strip().splitlines()
            told = [line for line in lines if line.startswith("E ")][:12]
            self.failures.append(f"-- {name}\n" + "\n".join(told or lines[-8:]))
        elif skipped is not None:
            _, refused, why = (skipped.get("message") or "").partition("refused: ")
            self.counts["refused" if refused else "skipped"] += 1
            if refused:
                self.lacks[re.sub(r"\d+", "N", why)[:140]] += 1
        else:
            self.counts["passed"] += 1

    def report(self) -> str:
        """Return the counts, the most frequent reasons, and the failures."""
        reasons = Counter(re.sub(r"\d+", "N", f.partition("\n")[2].partition("\n")[0])[:140]
                          for f in self.failures)
        head = [f"tests on {self.device}: " + ", ".join(f"{v} {k}" for k, v in self.counts.items()),
                f"files: {self.seen} of {self.all} ended",
                f"rows: {dict(Counter(self.rows.values()))}", "",
                *(f"{count:5} {reason}" for reason, count in reasons.most_common(40)), "",
                *(f"{count:5} refused: {why}" for why, count in self.lacks.most_common()), ""]
        return "\n".join([*head, *self.failures]) + "\n"


def keep(suite: Suite, options: argparse.Namespace) -> None:
    """Write what the suite has seen so far."""
    (options.out / "conformance.txt").write_text(suite.report())
    (options.out / "conformance.json").write_text(json.dumps(
        {"name": options.name or options.device, "about": options.about,
         "files": f"{suite.seen} of {suite.all}", "counts": suite.counts, "rows": suite.rows},
        indent=1))


def main() -> int:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(prog="tests.device.opencl", description=__doc__)
    parser.add_argument("--out", required=True, type=Path, help="the folder for the results")
    parser.add_argument("--wheels", help="a folder of wheels to install first")
    parser.add_argument("--library", default="libnvidia-opencl.so.1",
                        help="the driver's OpenCL library; empty: as unisycl finds them")
    parser.add_argument("--device", default="opencl", help="the device's name")
    parser.add_argument("--name", help="the name of its column; the device's otherwise")
    parser.add_argument("--about", default="`python -m tests.device.opencl`",
                        help="a line about the device for the page of conformance")
    parser.add_argument("--backends", default="opencl,host")
    parser.add_argument("--seconds", type=float, default=560, help="for all of it")
    parser.add_argument("--speed-seconds", type=float, default=170, help="of these, for the speed")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--parts", default="devices,shared,speed,suite")
    parser.add_argument("--together", type=int, default=1, metavar="N",
                        help="N files of tests in one pytest, where starting is slow")
    parser.add_argument("--continue", dest="go_on", action="store_true",
                        help="do not run files again that ended in an earlier run into DIR")
    parser.add_argument("pytest", nargs="*", help="further arguments for pytest")
    options = parser.parse_args()
    stop = time.monotonic() + options.seconds
    options.out.mkdir(parents=True, exist_ok=True)
    parts = options.parts.split(",")
    work = Path(tempfile.mkdtemp(prefix="unisycl-device-"))
    try:
        env = environment(options, work)
        if "devices" in parts:
            status, text = call(env, 120, "-m", "unisycl", "devices")
            (options.out / "devices.txt").write_text(text)
            say(f"devices: status {status}\n{text}")
            status, text = call(env, 120, "-m", "tests.device.details")
            (options.out / "details.txt").write_text(text)
            say(f"details: status {status}, {len(text.splitlines())} lines")
        if "shared" in parts:
            status, text = call(env, 60, "-m", "tests.device.shared", options.device)
            (options.out / "shared.txt").write_text(text)
            say(f"shared memory: status {status}\n{text}")
        if "speed" in parts:
            seconds = min(options.speed_seconds, stop - time.monotonic())
            status, text = call(env, seconds, "-m", "tests.device.speed", options.device,
                                str(options.out.resolve() / "speed.json"), f"{seconds - 15:.0f}")
            (options.out / "speed.txt").write_text(text)
            say(f"speed: status {status}\n{text[-6000:]}")
        if "suite" in parts:
            files = options.out.resolve() / "files"
            if not options.go_on:
                shutil.rmtree(files, ignore_errors=True)
            files.mkdir(exist_ok=True)
            suite = Suite(env, options.device, files, stop)
            suite.run(options.workers, options.together, options.pytest,
                      lambda suite: keep(suite, options))
            say(suite.report()[:5000])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
