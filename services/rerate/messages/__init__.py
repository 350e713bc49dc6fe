"""Facts and outcomes as values: reads, refuses and writes their bytes, and knows nothing of Kafka or of what a fact does to a rating."""
