"""The host device: CPython runs the user's own function, with real barriers and checked indices.

Internal room: nothing here compiles; see docs/dev/decisions/0001-host-device-generators.md.
"""
