"""Names of ids from a file: until profiles exist, who wants names brings them. CSV with a first line `id,name`."""

import csv
from collections.abc import Mapping
from pathlib import Path

import click


class Names:
    """Id → name; an id without one stands for itself."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self._names = names or {}

    def of(self, id: str) -> str:
        """The name, or the id."""
        return self._names.get(id) or id

    def beside(self, id: str) -> dict[str, str]:
        """`name` for a JSON object, if there is one."""
        return {"name": self._names[id]} if self._names.get(id) else {}


def read_names(path: Path) -> Names:
    """
    Raises:
        click.BadParameter: the file is not such a table; the sentence says where.
    """
    found: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            head = next(rows, [])
            if [cell.strip() for cell in head[:2]] != ["id", "name"]:
                raise click.BadParameter(f"{path}, line 1: expected the columns id,name, found {','.join(head)[:60]!r}")
            for row in rows:
                if len(row) < 2:
                    raise click.BadParameter(f"{path}, line {rows.line_num}: expected an id and a name, found {len(row)} columns")
                found[row[0]] = row[1]
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{path}: not UTF-8 at byte {error.start}") from error
    except csv.Error as error:
        raise click.BadParameter(f"{path}: {error}") from error
    return Names(found)


class NamesFile(click.ParamType):
    """A file of names as an option's value."""

    name = "FILE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Names:
        if isinstance(value, Names):
            return value
        path = Path(str(value))
        if not path.is_file():
            self.fail(f"there is no file {path}", param, ctx)
        return read_names(path)
