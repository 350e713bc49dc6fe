"""Which edition of the regulations is cited for a date."""

import pytest

from rerate.ratings.fide_texts import RAPID, STANDARD, cited


@pytest.mark.parametrize(
    ("book", "date", "text"),
    [
        (STANDARD, "2026-01-01", "FIDE B02 8.3 (2024-03-01)"),
        (STANDARD, "2024-03-01", "FIDE B02 8.3 (2024-03-01)"),
        (STANDARD, "2024-02-29", "FIDE B02 (2022-01-01; now 8.3)"),
        (STANDARD, "2021-12-31", "FIDE B02 (2014-07-01; now 8.3)"),
        (STANDARD, "2009-07-01", "FIDE B02 (2009-07-01; now 8.3)"),
        (STANDARD, "2009-06-30", "FIDE B02 (before 2009-07-01; now 8.3)"),
        (RAPID, "2026-01-01", "FIDE rapid and blitz regulations (2024-03-01; as B02 8.3)"),
        (RAPID, "2022-09-30", "FIDE rapid and blitz regulations (2012-01-01; as B02 8.3)"),
    ],
)
def test_an_article_is_cited_in_the_edition_of_its_date(book: str, date: str, text: str) -> None:
    assert cited(book, "8.3", date) == text
