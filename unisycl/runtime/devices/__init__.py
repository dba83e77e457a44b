"""Internal: the devices of this process and parts of them."""
