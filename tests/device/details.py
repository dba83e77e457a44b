"""Prints what every OpenCL device reports, as unisycl keeps it."""

from __future__ import annotations

import json

from unisycl.backends.opencl.discovery import discovery

if __name__ == "__main__":
    found = discovery.discover()
    for library, why in found.problems.items():
        print("problem:", library, why)
    for traits in found.devices:
        print(json.dumps(traits.to_json(), indent=1, sort_keys=True))
