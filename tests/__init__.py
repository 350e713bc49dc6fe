"""Tests of rerate, sorted by behaviour; the laws are in `laws`, what needs a real Kafka in `broker`."""
