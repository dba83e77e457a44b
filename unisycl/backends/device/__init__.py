"""Internal: what backends of devices with compilers or memory of their own share."""
