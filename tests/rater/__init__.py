"""The rater: the engine through crashes, its behaviour, the real process killed, and every message that is no fact."""
