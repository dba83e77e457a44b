"""Parameters that a launch of a part of an index space gives values to, by their paths.

Non-goals: the values (``runtime.launch.nd_range_parts``). Invariant: no path of a user's argument
begins with these words.
"""

from __future__ import annotations

PART = "part"
"""What the kernel asks of the whole index space."""
DECLARED = "declared"
"""The bounds of the part of a buffer that a range mapper gives this rank."""
