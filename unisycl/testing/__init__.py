"""Public: what a test of unisycl, or of a backend for it, needs.

``unisycl.testing.plugin`` is a pytest plugin with the fixtures ``device`` and ``queue`` and the
marker ``row``; ``refused`` states what a device may refuse. Non-goals: tests themselves.
"""

from unisycl.testing.devices import device_names, find_device
from unisycl.testing.refusal import refused
from unisycl.testing.rows import load_rows, load_sections

__all__ = ["device_names", "find_device", "load_rows", "load_sections", "refused"]
