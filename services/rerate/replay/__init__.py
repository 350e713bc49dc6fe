"""Columns, kernel, checkpoints, rows and digests: evaluates periods in order for every kind of change, and knows no fact and no topic."""
