"""One pool, changed only by taking a batch of facts: knows the update that follows, and no clock, no log and no other pool."""
