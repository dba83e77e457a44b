"""Public: Intel's experimental extensions: more about matrices of sub-groups.

Non-goals: stability of the names; they follow the extension's text. Invariant: nothing here is part
of the core.
"""

from unisycl.ext.intel import matrix

__all__ = ["matrix"]
