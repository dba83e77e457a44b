"""The threads of the runtime, and what a process has one of."""
