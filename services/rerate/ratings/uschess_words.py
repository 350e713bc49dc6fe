"""The steps of `uschess/1` in words, from the same numbers that rated the event."""

from fractions import Fraction

from rerate.ratings.face import Period, Step
from rerate.ratings.quantum import decimal, halves, round_half_away
from rerate.ratings.uschess_event import MATCH_CHANGE, MATCH_GAP, RATING_LIMIT, Entrant, Rated, Result, conclude, fraction, rate_event
from rerate.ratings.uschess_formulas import MOST_GAMES, SPECIAL_GAMES, Special, Standard, bonus_since, expectancy, provisional_expectancy
from rerate.ratings.uschess_rules import Rules
from rerate.ratings.uschess_states import EMPTY, MASTER

_STARTS = {
    "us": "a rating on another US Chess list",
    "birth_date": "the age on the event's last day",
    "birth_year": "the year of birth",
    "unknown": "no rating elsewhere and no age being known",
}
_WHY_NOT = {"provisional": "one of the two is provisional", "gap": f"the two are more than {MATCH_GAP} points apart"}


def explain_event(rules: Rules, period: Period, player: int) -> list[Step]:
    """See `System.explain`. What a newcomer's steps add is counted from 0, so the first is his starting value."""
    event = period.games.event[period.low]
    about = period.events[event]
    rated = rate_event(rules, period)
    entrant, result = rated.entrants.get(player), rated.last.get(player)
    if entrant is None or not (entrant.played or entrant.uncounted):
        return []
    uncounted = [
        Step("not-counted", f"A game of a match does not count: {_WHY_NOT[why]}.", _source("matches"), event, seen.number)
        for seen, why in entrant.uncounted
    ]
    before = fraction(entrant.value)
    if result is None:
        return [_own(rules, entrant, before, event)._replace(adds=None), *uncounted]
    steps = [
        _own(rules, entrant, before, event),
        *uncounted,
        Step(
            "effective-games",
            f"The effective number of earlier games is {_shown(fraction(entrant.effective))}.",
            _source("step 2, section 3"),
            event,
        ),
        Step(
            "first-pass",
            f"Against the first estimates of the opponents it would be {_shown(fraction(rated.first[player].value))}; their own results of "
            "the second pass are reckoned against that.",
            _source("steps 3 and 4"),
            event,
        ),
    ]
    if isinstance(result.formula, Standard):
        steps += _standard(rules, entrant, rated, result.formula, event, about.end, about.category)
    else:
        steps += _special(entrant, rated, result.formula, event)
    return steps + _conclusion(rules, entrant, result, about.category, event, _sum(steps))


def millionths(number: int) -> str:
    """Millionths as a decimal string."""
    sign = "-" if number < 0 else ""
    return f"{sign}{abs(number) // 1_000_000}.{abs(number) % 1_000_000:06d}"


def _own(rules: Rules, entrant: Entrant, before: Fraction, event: int) -> Step:
    if not entrant.start and not entrant.games:
        return Step("start", f"Unrated: the starting value is {_shown(before)}, by a seed.", event=event, adds=before)
    if not entrant.start:
        games = f"{MOST_GAMES} or more games" if entrant.games == MOST_GAMES else _games(entrant.games)
        return Step("own", f"The rating before the event is {_shown(before)}, from {games}.", event=event)
    by = f"a FIDE rating, converted by the edition {rules.edition}" if entrant.start == "fide" else _STARTS[entrant.start]
    text = f"Unrated: the starting value is {_shown(before)}, by {by}."
    return Step("start", text, _source("step 1, section 2"), event, adds=before)


def _standard(rules: Rules, entrant: Entrant, rated: Rated, formula: Standard, event: int, end: str, category: str) -> list[Step]:
    steps = []
    for seen in entrant.played:
        opponent = rated.intermediate[seen.opponent]
        expected = Fraction(expectancy(entrant.value.near, opponent.near))
        text = f"Against {_shown(fraction(opponent))} (after step 4): scored {halves(seen.half_points)}, expected {_shown(expected)}."
        steps.append(Step("expected", text, _source("step 5, section 4.2"), event, seen.number))
    dual = ", by the rule of dual-rated events above 2200" if rules.is_dual(category) and entrant.value.near > MASTER else ""
    text = f"K is {_shown(Fraction(formula.k))} for {_games(len(entrant.played))}{dual}."
    steps.append(Step("k", text, _source("section 4.2"), event))
    change, bonus = Fraction(formula.change), Fraction(formula.bonus)
    text = f"K x ({halves(entrant.half_points)} - {_shown(Fraction(formula.expected))}) is {_signed(change)}."
    steps.append(Step("change", text, _source("section 4.2"), event, adds=change))
    if entrant.threshold is None:
        text = "There is no bonus: fewer than three games, an opponent met too often, or a match."
    else:
        text = (
            f"The bonus is what the change has above {_shown(Fraction(entrant.threshold))}, B being {rules.bonus(end):g}: {_shown(bonus)}."
        )
    source = _source("section 4.2")
    if entrant.threshold is not None and rules.constant is None:
        since = bonus_since(end)
        source += f"; B of new.uschess.org for events that end {f'from {since} on' if since else 'before 2017-05-01'}"
    steps.append(Step("bonus", text, source, event, adds=bonus))
    return steps


def _special(entrant: Entrant, rated: Rated, formula: Special, event: int) -> list[Step]:
    steps = []
    for seen in entrant.played:
        opponent = rated.intermediate[seen.opponent]
        expected = fraction(provisional_expectancy(formula.raw, opponent))
        met = f"Against {_shown(fraction(opponent))} (after step 4)"
        text = f"{met}: scored {halves(seen.half_points)}, at the result expected {_shown(expected)}."
        steps.append(Step("expected", text, _source("step 5, section 4.1"), event, seen.number))
    why = f"{_games(entrant.games)} before" if entrant.games <= SPECIAL_GAMES else f"all earlier games {entrant.history}"
    how = "a point of the stretch" if formula.flat else "the point"
    text = f"Special formula ({why}): {_shown(fraction(formula.raw))} is {how} where the score is the expected one."
    if formula.raw != formula.value:
        text += f" Limited to 100 to 2700: {_shown(fraction(formula.value))}."
    steps.append(Step("special", text, _source("section 4.1"), event, adds=fraction(formula.value) - fraction(entrant.value)))
    return steps


def _conclusion(rules: Rules, entrant: Entrant, result: Result, category: str, event: int, so_far: Fraction) -> list[Step]:
    """Limits, floor and rounding; the last takes up what the additions of doubles lost."""
    final = conclude(rules, entrant, result, category)
    reached, limited, floored = fraction(result.formula.value), fraction(final.limited), fraction(final.floored)
    steps = []
    if limited != reached:
        text = f"A match moves nobody by more than {MATCH_CHANGE} points: {_shown(limited)} instead of {_shown(reached)}."
        steps.append(Step("match-limit", text, _source("matches"), event, adds=limited - reached))
    if floored > limited:
        text = f"The floor is {entrant.floor}, above {_shown(limited)}."
        steps.append(Step("floor", text, _source("section 5"), event, adds=floored - limited))
    elif floored < limited:
        text = f"No rating is kept above {RATING_LIMIT}."
        steps.append(Step("limit", text, event=event, adds=floored - limited))
    quanta = final.state[0]
    state = entrant.state or EMPTY
    change = Fraction(quanta - (state[0] if state[1] else 0), rules.per_point)  # a starting value is no rating
    text = f"Rounded once, half away from zero: {decimal(quanta, rules.per_point)}."
    return [*steps, Step("rounding", text, event=event, adds=change - so_far - _sum(steps))]


def _sum(steps: list[Step]) -> Fraction:
    return sum((step.adds for step in steps if step.adds is not None), Fraction(0))


def _source(where: str) -> str:
    return f"US Chess Rating System, {where} (2020-09-02)"


def _shown(number: Fraction) -> str:
    """A number in a sentence: rounded to six places, without trailing zeros."""
    return millionths(round_half_away(number.numerator * 1_000_000, number.denominator)).rstrip("0").rstrip(".")


def _signed(number: Fraction) -> str:
    return f"{'+' if number >= 0 else ''}{_shown(number)}"


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"
