"""The facts of one pool folded into events, identities and rules, in any order of arrival: knows which games count, and no rating."""

from rerate.history.history import History
from rerate.history.values import (
    Adjustment,
    Changes,
    ContentStanding,
    IdentityRow,
    JudgedGame,
    RatedEvent,
    SeedGroup,
    StandingRow,
)

__all__ = ["Adjustment", "Changes", "ContentStanding", "History", "IdentityRow", "JudgedGame", "RatedEvent", "SeedGroup", "StandingRow"]
