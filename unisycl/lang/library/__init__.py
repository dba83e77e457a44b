"""Internal: functions written in the kernel language itself."""
