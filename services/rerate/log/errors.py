"""What can go wrong with a log. Foreign errors become these at the border, once."""


class LogError(Exception):
    """Raised when a log cannot do what was asked; `retriable` says whether trying again may help."""

    retriable = False


class Fenced(LogError):
    """Raised when another writer of this partition has been opened since: this process has lost it."""


class RecordTooLarge(LogError):
    """Raised when a record is above its topic's limit; nothing was written."""


class LogUnreachable(LogError):
    """Raised when the log does not answer or is held by another process for too long."""

    retriable = True


class LogMissing(LogError):
    """Raised when a log or a topic that a reader needs does not exist; the sentence says which."""


class LogInconsistent(LogError):
    """Raised when the log contradicts itself (positions beyond its end, a gap in the facts): a person must look."""
