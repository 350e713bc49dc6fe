"""The systems that a process can rate by: those of this package, and those that other installed packages bring.

A package brings a system by an entry point of the group `rerate.systems`. Its name is the system's, with the version, and it points to the
maker, which is called with parameters, quanta in a point and period kind (see `rerate.ratings.systems.Systems`):

    [project.entry-points."rerate.systems"]
    "acme-elo/1" = "acme_elo:AcmeElo"

Only processes look here, once when they begin: what is rated never depends on what is installed, but on the systems that the pool is told.
A list of a system that is not installed is held (`system`).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from rerate.messages.errors import RerateError
from rerate.ratings.face import System
from rerate.ratings.systems import SYSTEMS, Systems

GROUP = "rerate.systems"
Maker = Callable[[Mapping[str, object], int, str], System]
_METHODS = sorted(name for name, asked in vars(System).items() if callable(asked) and not name.startswith("_"))
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}/[1-9][0-9]{0,2}\Z")


class BadPlugin(RerateError):
    """Raised when an installed package brings a system that cannot be used; the sentence names the package and says what to do."""


def known_systems(found: Iterable[EntryPoint] | None = None) -> Systems:
    """The systems of this package and those installed.

    Args:
        found: entry points, instead of those of the installed packages.

    Raises:
        BadPlugin: a system cannot be loaded, lacks a method of the face, has no proper name, or takes a name that is taken.
    """
    systems = dict(SYSTEMS)
    brought_by = dict.fromkeys(SYSTEMS, "rerate itself")
    points = entry_points(group=GROUP) if found is None else found
    for point in sorted(points, key=lambda point: (point.name, _distribution(point))):
        package = _distribution(point)
        if not _NAME.match(point.name):
            what = "its name is no name of a system with a version, such as 'acme-elo/1' (a to z, 0 to 9 and -)"
            raise BadPlugin(_sentence(package, point.name, what))
        if point.name in systems:
            what = f"{brought_by[point.name]} has a system of this name; one of the two must take another, or another version"
            raise BadPlugin(_sentence(package, point.name, what))
        systems[point.name] = _loaded(point, package)
        brought_by[point.name] = package
    return systems


def _loaded(point: EntryPoint, package: str) -> Maker:
    try:
        maker: Maker = point.load()
    except Exception as error:  # whatever a package does when it is imported
        what = f"{point.value} cannot be loaded ({type(error).__name__}: {error})"
        raise BadPlugin(_sentence(package, point.name, what)) from error
    if not callable(maker):
        raise BadPlugin(_sentence(package, point.name, f"{point.value} cannot be called to make a system"))
    missing = [name for name in _METHODS if isinstance(maker, type) and not hasattr(maker, name)]
    if missing:
        raise BadPlugin(_sentence(package, point.name, f"{point.value} has no {', '.join(missing)} (see rerate.ratings.face.System)"))
    said = getattr(maker, "name", point.name)
    if said != point.name:
        raise BadPlugin(_sentence(package, point.name, f"{point.value} calls itself {said!r}; both must be the same"))
    return maker


def _distribution(point: EntryPoint) -> str:
    return "an unnamed package" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _sentence(package: str, name: str, what: str) -> str:
    return f"the installed package {package} brings the rating system {name!r}: {what}. Mend it, or uninstall it"
