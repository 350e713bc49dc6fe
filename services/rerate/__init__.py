"""Ratings as a pure function of the set of facts on the log: evaluated incrementally, published as deltas, open to audit."""

__version__ = "0.1.0"
