"""What can be written of a rating: its size is below 10,000, whatever K and however many games."""

from fractions import Fraction

from rerate.ratings.face import Step
from rerate.ratings.quantum import MOST_POINTS, decimal


def bounded(quanta: int, per_point: int) -> int:
    """A rating, or the nearest that can be written."""
    most = MOST_POINTS * per_point - 1
    return min(max(quanta, -most), most)


def bound_steps(quanta: int, per_point: int) -> list[Step]:
    """The step that explains what `bounded` takes away, if it does."""
    kept = bounded(quanta, per_point)
    if kept == quanta:
        return []
    text = f"the rating is held at {decimal(kept, per_point)}: its size is below {MOST_POINTS:,}"
    return [Step("limit", text, adds=Fraction(kept - quanta, per_point))]
