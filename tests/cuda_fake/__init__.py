"""A driver of NVIDIA's that is none, over the host's memory: for tests without a card."""
