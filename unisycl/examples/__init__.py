"""Programs that show unisycl at work; docs/examples.md lists them."""
