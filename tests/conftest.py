"""What every run says of itself."""

from tests.kit.laws import HEADER


def pytest_report_header() -> str:
    return HEADER
