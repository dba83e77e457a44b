"""Internal: SYCL's classes; users import them from ``unisycl``."""
