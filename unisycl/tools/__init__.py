"""Internal: the commands of ``python -m unisycl``, one file each. Nothing imports this room."""
