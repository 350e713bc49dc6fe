"""Measurements. Every figure is printed with what was run beside it; a ratio taken in one run says more than seconds do."""
