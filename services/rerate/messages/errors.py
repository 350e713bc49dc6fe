"""The family of rerate's errors. A log's own errors stand in `rerate.log.errors`: that room imports nothing of ours."""


class RerateError(Exception):
    """Raised when rerate cannot do what was asked; `retriable` says whether trying again may help."""

    retriable = False
