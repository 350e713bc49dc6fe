"""A leaf of bytes, topics, offsets and stores, on Kafka and embedded: knows in what order records stand, and nothing of what is in them."""
