"""Programs that show unisycl at work, on real data: ``photo`` and ``terrain``."""
