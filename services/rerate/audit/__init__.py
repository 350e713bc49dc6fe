"""Replays a log, a copy of one or a question about one: proves or disproves the published heads, and repairs nothing."""
