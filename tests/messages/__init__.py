"""Messages: what is read, what is refused and why, and that schemas, examples, codes and code say the same."""
