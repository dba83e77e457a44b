"""Internal: queues, handlers, events and what they are asked with."""
