"""Internal: what every routine of every library takes, does and returns (catalogue L-1)."""
