"""Internal: functions that a whole group calls together."""
