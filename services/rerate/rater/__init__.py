"""The stream processor: moves facts from the log through the pools and updates back onto it, and decides nothing about a rating."""
