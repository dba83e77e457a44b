"""Internal: functions with a meaning of their own in kernels."""
