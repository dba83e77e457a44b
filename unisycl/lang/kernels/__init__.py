"""Internal: kernels themselves: decorators, properties, streams, device-side launches."""
