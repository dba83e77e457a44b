"""The null backend: executes nothing, for tests of everything above a driver."""
