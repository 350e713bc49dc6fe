"""Which edition of FIDE's regulations an explanation cites for a date."""

STANDARD = "FIDE B02"
RAPID = "FIDE rapid and blitz regulations"

_EDITIONS = {
    STANDARD: ("2024-03-01", "2022-01-01", "2014-07-01", "2009-07-01"),
    RAPID: ("2024-03-01", "2022-10-01", "2012-01-01"),
}
"""From when texts are in force, the newest first."""


def cited(book: str, article: str, date: str) -> str:
    """An article for a reader: `FIDE B02 8.3.1 (2024-03-01)`. Older editions number their articles otherwise, so they are cited by date,
    and the article of the newest says which is meant; those on rapid and blitz by the article of B02 that they are like.

    Args:
        article: as the newest edition numbers it.
        date: of the list or event that the rule is applied to.
    """
    newest, *older = _EDITIONS[book]
    if date >= newest and book == STANDARD:
        return f"{book} {article} ({newest})"
    since = next((edition for edition in (newest, *older) if date >= edition), None)
    return f"{book} ({since or f'before {older[-1]}'}; {'now' if book == STANDARD else 'as B02'} {article})"
