"""Tournament reports in FIDE's fixed columns (TRF) → one publication each.

Columns count from 1, in characters. Read are the lines 001 (a player and his rounds), 012 (the event's name), 042 and 052 (its first and
last day), 132 (the rounds' dates) and XXR (how many rounds there are); no other line is part of a rating.

    001   5-8 start number   15-47 name   49-52 rating   58-68 national or FIDE number   81-84 points
          from 92 on, every ten columns a round: four for the opponent, a blank, colour, a blank, result

Two players' rows tell the same game. Where they disagree (an opponent who names another, results that do not fit, one colour twice) the
file is refused with line and column: which row is right is known to the arbiter alone. What is read in another way than it is written is a
*note*.

Ids: a player with a number is `authority:number`, so that he is one person in all events of that authority. A player without is
`event.start-number`, another one in every event, until somebody who knows says otherwise. A game is `g`, its round and the two start
numbers, the smaller first; a bye has only one. The event's id is given by whoever reads the file.

Byes: U is the bye of the pairing, F + 1 a full point, H = a half, Z - 0 none, all of them without an opponent. A round in which a row says
nothing, or only that there is no colour, is left out: the player was not there. W D L end before both have moved and are not rated.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from rerate.intake.cloudevents import CloudEvent, cloud_event
from rerate.messages.errors import RerateError

_PLAYED = {("1", "0"): "1-0", ("=", "="): "1/2-1/2", ("0", "1"): "0-1"}
_UNMOVED = {("W", "L"): "1-0", ("D", "D"): "1/2-1/2", ("L", "W"): "0-1"}
_FORFEITED = {("+", "-"): "+/-", ("-", "+"): "-/+", ("-", "-"): "-/-"}
_UNFINISHED = {("", ""): "*"}
_RESULTS = _PLAYED | _UNMOVED | _FORFEITED | _UNFINISHED
"""By the codes of white and black."""

_BYES = {code: word for codes, word in (("U", "pairing"), ("F+1", "full"), ("H=", "half"), ("Z-0", "zero")) for code in codes}
_HALF_POINTS = {"1": 2, "W": 2, "+": 2, "F": 2, "U": 2, "=": 1, "D": 1, "H": 1}
_FIRST_ROUND_COLUMN = 92


class TrfError(RerateError):
    """Raised when a tournament report cannot be read without guessing; its arbiter must correct it at the place named."""

    def __init__(self, *, line: int, column: int, expected: str, found: str) -> None:
        super().__init__(f"line {line}, column {column}: expected {expected}, found {found}")
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that was read in another way than it is written, or left out."""

    line: int
    column: int
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrfReport:
    """What a file says."""

    fact: CloudEvent
    """The publication of the event."""
    names: Mapping[str, str]
    """Of the event and of every player, as written; they are no part of the fact."""
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """What a row says of a round."""

    opponent: int
    """Start number; 0 is nobody."""
    colour: str
    """`w`, `b` or empty."""
    code: str
    """In capitals; empty if nothing is said."""
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A player."""

    line: int
    start_number: int
    name: str
    number: str
    """National or FIDE; empty if there is none."""
    points: str
    blocks: Sequence[_Block | None]
    """None is a round for which nothing is said."""


def read_trf(data: bytes, *, pool: str, event_id: str, source: str, category: str, revision: int = 1) -> TrfReport:
    """The event of a report as a publication.

    Args:
        data: the file; UTF-8 with or without mark, else taken as Latin-1 with a note.
        pool: id of the pool in which it is published.
        event_id: `authority:local`; numbers of players are the authority's.
        source: `authority/program` of the publisher.
        category: of the event.
        revision: the publisher's counter; a later report of the same event has a greater one.

    Raises:
        TrfError: the file contradicts itself, or cannot be read without guessing.
    """
    notes: list[Note] = []
    lines = _lines(data, notes)
    rows = _rows(lines)
    head = {line[:3]: (n, line[4:].strip()) for n, line in reversed(lines) if line[:3] in ("012", "042", "052", "XXR")}
    start, end = _days(head)
    dates = _round_dates(lines, start, end, notes)
    _check_round_count(head, rows)
    ids = _player_ids(rows, event_id)
    games = list(_games(rows, ids, dates, notes))
    _check_points(rows, notes)
    notes += [
        Note(line=n, column=1, sentence=f"lines {line[:3]!r} are not read")
        for n, line in {line[:3]: (n, line) for n, line in reversed(lines)}.values()
        if line.strip() and not re.match("001|0[1-9]2|1[0-3]2|XX.|###", line)
    ]
    event = {"id": event_id, "date": end.isoformat(), "start_date": start.isoformat(), "category": category, "status": "final"}
    said = {"pool": pool, "event": event, "revision": revision, "games": games}
    names = {event_id: head["012"][1]} if head.get("012", (0, ""))[1] else {}
    names |= {ids[row.start_number]: row.name for row in rows.values()}
    fact_id = f"{event_id.partition(':')[2]}.{revision}"
    return TrfReport(
        fact=cloud_event("result-published", source, fact_id, said),
        names=names,
        notes=tuple(sorted(notes, key=lambda note: (note.line, note.column))),
    )


def _lines(data: bytes, notes: list[Note]) -> list[tuple[int, str]]:
    """Numbered lines; CRLF, LF and a lone CR end one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = len(re.findall(b"\r\n|\n|\r", data[: e.start])) + 1
        column = e.start - max(data.rfind(b"\n", 0, e.start), data.rfind(b"\r", 0, e.start))
        notes.append(Note(line=line, column=column, sentence="not UTF-8: the file is read as Latin-1"))
        text = data.decode("latin-1")
    return list(enumerate(re.split("\r\n|\n|\r", text), 1))


def _rows(lines: Sequence[tuple[int, str]]) -> dict[int, _Row]:
    """The players by start number."""
    rows: dict[int, _Row] = {}
    for n, line in lines:
        if line[:3] != "001":
            continue
        start_number = _whole(n, line, 5, 8, "a start number")
        if not start_number:
            raise TrfError(line=n, column=5, expected="a start number", found="none")
        if start_number in rows:
            raise TrfError(
                line=n, column=5, expected="a start number of its own", found=f"{start_number}, as in line {rows[start_number].line}"
            )
        _whole(n, line, 49, 52, "a rating")
        number = _whole(n, line, 58, 68, "a player's number")
        rows[start_number] = _Row(
            line=n,
            start_number=start_number,
            name=line[14:47].strip(),
            number=str(number) if number else "",
            points=line[80:84].strip(),
            blocks=[_block(n, line, column) for column in range(_FIRST_ROUND_COLUMN, len(line.rstrip()) + 1, 10)],
        )
    if not rows:
        raise TrfError(line=1, column=1, expected="lines 001, the players", found="none")
    return rows


def _whole(n: int, line: str, first: int, last: int, what: str) -> int:
    """The whole number in these columns; 0 if there is none."""
    text = line[first - 1 : last].strip()
    if text and not (text.isascii() and text.isdecimal()):
        raise TrfError(line=n, column=first, expected=f"{what} or blanks", found=repr(text))
    return int(text or 0)


def _block(n: int, line: str, column: int) -> _Block | None:
    opponent = _whole(n, line, column, column + 3, "an opponent's start number")
    colour, code = line[column + 4 : column + 5].strip().lower(), line[column + 6 : column + 7].strip().upper()
    if colour not in ("", "-", "w", "b"):
        raise TrfError(line=n, column=column + 5, expected="w, b, - or a blank for the colour", found=repr(colour))
    if code in ("?", "*"):
        code = ""
    if code and code not in "10=WDL+-FHUZ":
        raise TrfError(line=n, column=column + 7, expected="one of 1 0 = W D L + - F H U Z for the result", found=repr(code))
    if not opponent and not code:
        return None
    return _Block(opponent=opponent, colour=colour.strip("-"), code=code, column=column)


def _days(head: Mapping[str, tuple[int, str]]) -> tuple[date, date]:
    """First and last day of the event; a report that names one of them means one day."""
    days = [_day(n, text) for n, text in (head.get("042", (1, "")), head.get("052", (1, ""))) if text]
    if not days:
        raise TrfError(line=1, column=1, expected="the event's date in line 042 or 052", found="none")
    if days[-1] < days[0]:
        raise TrfError(line=head["052"][0], column=5, expected=f"a last day from {days[0]} on", found=str(days[-1]))
    return days[0], days[-1]


def _day(n: int, text: str) -> date:
    """A date that reads one way: the year first, or last after day and month."""
    found = TrfError(line=n, column=5, expected="a date that reads one way, best YYYY/MM/DD", found=repr(text))
    if match := re.fullmatch(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)", text, re.ASCII):
        year, month, day = match[1], match[3], match[4]
    elif match := re.fullmatch(r"(\d\d?)([-/.]) ?(\d\d?)\2 ?(\d{4})", text, re.ASCII):
        day, month, year = match[1], match[3], match[4]
        if match[2] != "." and int(day) <= 12 and day != month:  # 03/04/2011 is in March for some and in April for others
            raise found
    else:
        raise found
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise found from None


def _round_dates(lines: Sequence[tuple[int, str]], start: date, end: date, notes: list[Note]) -> dict[int, str]:
    """Dates of the rounds, by round. They are written YY/MM/DD, but some programs write YY.DD.MM: the event's days tell which."""
    dates: dict[int, str] = {}
    swapped: list[int] = []
    for n, line in lines:
        if line[:3] != "132":
            continue
        if line[3:91].strip():
            notes.append(Note(line=n, column=4, sentence="the rounds' dates do not stand in their columns and are left out"))
            continue
        for column in range(_FIRST_ROUND_COLUMN, len(line.rstrip()) + 1, 10):
            text = line[column - 1 : column + 7].strip()
            if not text:
                continue
            number = (column - _FIRST_ROUND_COLUMN) // 10 + 1
            match = re.fullmatch(r"(\d\d)[-/.](\d\d)[-/.](\d\d)", text, re.ASCII)
            year, one, two = (int(part) for part in match.groups()) if match else (0, 0, 0)
            as_written, other_way = (_within(year, month, day, start, end) for month, day in ((one, two), (two, one)))
            if not (day_played := as_written or other_way):
                expected = f"a date YY/MM/DD from {start} to {end}"
                raise TrfError(line=n, column=column, expected=expected, found=repr(text))
            if not as_written:
                swapped.append(n)
            dates[number] = day_played
    notes += [Note(line=n, column=_FIRST_ROUND_COLUMN, sentence="the rounds' dates are read as YY.DD.MM") for n in dict.fromkeys(swapped)]
    return dates


def _within(year: int, month: int, day: int, start: date, end: date) -> str:
    """The date in the event's century if it is one of its days, else nothing."""
    for century in {start.year // 100, end.year // 100}:
        try:
            played = date(century * 100 + year, month, day)
        except ValueError:
            return ""
        if start <= played <= end:
            return played.isoformat()
    return ""


def _check_round_count(head: Mapping[str, tuple[int, str]], rows: Mapping[int, _Row]) -> None:
    n, text = head.get("XXR", (0, ""))
    if not (text.isascii() and text.isdecimal()):
        return
    for row in rows.values():
        for block in row.blocks[int(text) :]:
            if block is not None:
                raise TrfError(line=row.line, column=block.column, expected=f"no round after round {text}, as line {n} says", found="one")


def _player_ids(rows: Mapping[int, _Row], event_id: str) -> dict[int, str]:
    authority = event_id.partition(":")[0]
    by_number: dict[str, _Row] = {}
    for row in rows.values():
        first = by_number.setdefault(row.number, row) if row.number else row
        if first is not row:
            raise TrfError(
                line=row.line, column=58, expected="a player's number of his own", found=f"{row.number}, as in line {first.line}"
            )
    return {row.start_number: f"{authority}:{row.number}" if row.number else f"{event_id}.{row.start_number}" for row in rows.values()}


def _games(rows: Mapping[int, _Row], ids: Mapping[int, str], dates: Mapping[int, str], notes: list[Note]) -> Iterator[dict[str, Any]]:
    """Games and byes by round and smaller start number."""
    for index in range(max(len(row.blocks) for row in rows.values())):
        when = {"round": index + 1} | ({"date": dates[index + 1]} if index + 1 in dates else {})
        for start_number in sorted(rows):
            row = rows[start_number]
            block = row.blocks[index] if index < len(row.blocks) else None
            if block is None:
                continue
            if not block.opponent:
                yield {"id": f"g{index + 1}-{start_number}"} | when | {"white": ids[start_number]} | _bye(row, block, notes)
                continue
            other, its = _other_side(rows, row, block, index)
            if start_number < other.start_number:
                white_first = block.colour == "w" or its.colour == "b" or not (block.colour or its.colour)
                if not (block.colour or its.colour):
                    sentence = "no colours: the smaller start number is taken as white"
                    notes.append(Note(line=row.line, column=block.column + 5, sentence=sentence))
                white, black = (start_number, other.start_number) if white_first else (other.start_number, start_number)
                codes = (block.code, its.code) if white_first else (its.code, block.code)
                sides = {"white": ids[white], "black": ids[black], "result": _RESULTS[codes]}
                unmoved = {"rated": "none", "unrated_reason": "not-both-moved"} if codes in _UNMOVED else {}
                yield {"id": f"g{index + 1}-{start_number}-{other.start_number}"} | when | sides | unmoved


def _bye(row: _Row, block: _Block, notes: list[Note]) -> dict[str, Any]:
    if block.code not in _BYES:
        raise TrfError(line=row.line, column=block.column, expected="an opponent, or the code of a bye", found=f"none and {block.code!r}")
    word = _BYES[block.code]
    if block.code not in "UFHZ":
        notes.append(Note(line=row.line, column=block.column + 7, sentence=f"{block.code!r} without an opponent is read as a bye: {word}"))
    return {"result": f"bye-{word}"} | ({"points": 2} if word == "pairing" else {})


def _other_side(rows: Mapping[int, _Row], row: _Row, block: _Block, index: int) -> tuple[_Row, _Block]:
    """The opponent and what his row says of the round, which must be the same game."""
    found = f"start number {block.opponent}"
    other = rows.get(block.opponent)
    if other is None or other is row:
        raise TrfError(line=row.line, column=block.column, expected="the start number of another player of the file", found=found)
    its = other.blocks[index] if index < len(other.blocks) else None
    place = f"{row.start_number} in line {other.line}, round {index + 1}"
    if its is None or its.opponent != row.start_number:
        said = str(its.opponent) if its and its.opponent else "nobody"
        raise TrfError(line=row.line, column=block.column, expected=f"that {block.opponent} names {place}", found=f"that he names {said}")
    if (block.code, its.code) not in _RESULTS:
        raise TrfError(
            line=row.line,
            column=block.column + 7,
            expected=f"a result that fits {its.code!r} of {block.opponent} in line {other.line}, round {index + 1}",
            found=repr(block.code),
        )
    over_the_board = (block.code, its.code) not in _FORFEITED
    if (block.colour and block.colour == its.colour) or (over_the_board and {block.colour, its.colour} != {"w", "b"}):
        raise TrfError(
            line=row.line,
            column=block.column + 5,
            expected=f"the colour that {block.opponent} in line {other.line} did not have, w and b",
            found=f"{block.colour!r} and {its.colour!r}",
        )
    return other, its


def _check_points(rows: Mapping[int, _Row], notes: list[Note]) -> None:
    """Points are printed for people and may count byes in their own way: a difference is said, not refused."""
    for row in rows.values():
        counted = sum(_HALF_POINTS.get(block.code, 0) for block in row.blocks if block)
        if row.points and row.points != f"{counted / 2:.1f}":
            notes.append(Note(line=row.line, column=81, sentence=f"the rounds come to {counted / 2:.1f} points, {row.points} are printed"))
