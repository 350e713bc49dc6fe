"""Running rerate: topics, measurements, load and fault drills."""
