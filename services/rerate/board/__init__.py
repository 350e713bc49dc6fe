"""Ladder, player and event pages, explanations and previews, from the outcome topics by way of its own store: it publishes nothing."""
