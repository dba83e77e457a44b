"""What a star import leaves as it is."""

from typing import TYPE_CHECKING

from unisycl import *

if TYPE_CHECKING:
    from typing import reveal_type

reveal_type(range(3))  # range
reveal_type(abs(-3))  # int
reveal_type(min(1, 2))  # int
reveal_type(sqrt(2.0))  # Any
q = queue()
reveal_type(q.get_device().is_gpu())  # bool
