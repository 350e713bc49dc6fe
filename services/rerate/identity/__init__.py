"""Suggestions of records that may be one person, from erasable profiles: people decide on them, so no merge is sent from here."""
