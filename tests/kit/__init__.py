"""What the tests share: generators of histories, oracles that do it in the plainest way, the simulated log."""
