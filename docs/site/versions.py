"""Versions of the site side by side, each in a folder of its name; every page leads to the others.

The list of them lies beside the folders (``versions.js``), so that pages built before know of those
built later. A script and not data: browsers load no data for pages that were opened as files.
Non-goals: building old versions anew. Invariant: only folders that hold a site are listed.
"""

from __future__ import annotations

import json
from pathlib import Path

from packaging.version import Version

import unisycl as sycl

FRONT = "docs/index.html"
_SCRIPT = """(function (versions) {
  "use strict";
  var chooser = document.getElementById("site-version");
  var root = document.currentScript.src.replace(/versions\\.js.*$/, "");
  if (!chooser) return;
  chooser.replaceChildren.apply(chooser, versions.map(function (name) {
    var here = name === chooser.dataset.version;
    return new Option(name, name, here, here);
  }));
  chooser.addEventListener("change", function () {
    location.href = root + chooser.value + "/FRONT";
  });
})(VERSIONS);
"""
_REDIRECT = ('<!doctype html><html lang="en"><title>unisycl</title>'
             '<meta http-equiv="refresh" content="0; url={0}">'
             '<a href="{0}">unisycl</a></html>\n')


def current() -> str:
    """Return the version that a site built now describes."""
    return sycl.__version__


def known(folder: Path) -> list[str]:
    """Return the versions that lie in a folder, the newest first."""
    found = [p.name for p in folder.iterdir() if (p / FRONT).is_file()]
    return sorted(found, key=Version, reverse=True)


def write(folder: Path) -> None:
    """Write the list of versions in a folder, and lead from its front to the newest."""
    versions = known(folder)
    script = _SCRIPT.replace("FRONT", FRONT).replace("VERSIONS", json.dumps(versions))
    (folder / "versions.js").write_text(script, encoding="utf-8")
    (folder / "index.html").write_text(_REDIRECT.format(f"{versions[0]}/{FRONT}"), encoding="utf-8")
