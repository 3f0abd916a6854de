"""What is a value with named fields, when making its class must cost nothing?

`dataclasses` writes each method of a class as text and compiles it, and loads `inspect` to do so:
for the classes that a search needs, that takes longer than the search. A class written
`class Name(Value)` is the same kind of class (frozen, with slots, compared by its fields), made at
once from ordinary functions. `dataclasses.fields`, `replace` and `asdict` work on it.

`NamedTuple` stands for that of `typing` in the same way: a tuple, but one whose class takes a tenth
of the time to make, and for which `typing` and `collections` need not be loaded.
"""

from __future__ import annotations

try:  # what `namedtuple` reads its fields with
    from _collections import _tuplegetter  # type: ignore[import-not-found]  # CPython's own
except ImportError:  # pragma: no cover - another implementation of Python
    from operator import itemgetter

    def _tuplegetter(place: int, doc: None) -> Any:
        return property(itemgetter(place), doc=doc)


TYPE_CHECKING = False  # see `memidx.light`
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar, dataclass_transform
    from typing import NamedTuple as NamedTuple

    _T = TypeVar("_T")
else:

    def dataclass_transform(**_: Any) -> Any:
        """A checker is told by it; the interpreter need not be."""
        return lambda made: made


class _Made:
    """A default that is made anew for each object."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], Any]) -> Any:
    """A field's default that is made anew for each object."""
    return _Made(default_factory)


def replace(value: _T, **changes: Any) -> _T:
    """A copy of a value with some of its fields changed."""
    names = value.__match_args__  # type: ignore[attr-defined]  # every dataclass has it
    if changes.keys() <= set(names):
        pop = changes.pop
        return value.__class__(
            *[pop(name) if name in changes else getattr(value, name) for name in names]
        )
    fields = {name: getattr(value, name) for name in names}
    return value.__class__(**fields | changes)


def asdict(value: Any) -> dict[str, Any]:
    """Fields and what they hold, values in values too."""
    import dataclasses  # whoever wants this is in no hurry

    return dataclasses.asdict(value)


def _initialiser(
    names: tuple[str, ...], defaults: Mapping[str, Any], setters: list[Callable[..., None]]
) -> Callable[..., None]:
    n_fields, all_names = len(names), frozenset(names)

    def initialise(self: Any, *args: Any, **given: Any) -> None:
        if given or len(args) != n_fields:
            if not args and len(given) == n_fields and given.keys() == all_names:
                args = tuple([given[name] for name in names])
            else:
                args = _bind(self.__class__.__name__, names, defaults, args, given)
        for set_field, value in zip(setters, args, strict=True):
            set_field(self, value)

    return initialise


def _bind(
    name: str,
    names: tuple[str, ...],
    defaults: Mapping[str, Any],
    args: tuple[Any, ...],
    given: dict[str, Any],
) -> tuple[Any, ...]:
    """The value of every field, given arguments as a call has them."""
    if len(args) > len(names):
        raise TypeError(f"{name}() takes {len(names)} fields, and {len(args)} were given")
    values = list(args)
    for field_name in names[len(args) :]:
        if field_name in given:
            values.append(given.pop(field_name))
        elif field_name in defaults:
            default = defaults[field_name]
            values.append(default.make() if isinstance(default, _Made) else default)
        else:
            raise TypeError(f"{name}() needs a value for {field_name!r}")
    if given:
        raise TypeError(f"{name}() has no field {next(iter(given))!r}, or got it twice")
    return tuple(values)


def _values(value: Any) -> tuple[Any, ...]:
    return tuple([getattr(value, name) for name in value.__match_args__])


def _equal(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _show(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _reduce(self: Any) -> tuple[Any, ...]:
    return self.__class__, _values(self)


def _refuse_change(self: Any, name: str, *_: Any) -> None:
    from dataclasses import FrozenInstanceError  # nobody gets here in a hurry

    raise FrozenInstanceError(f"cannot change field {name!r}")


class _Fields:
    """`__dataclass_fields__` of a class, made when somebody asks."""

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        import dataclasses

        body = {
            name: dataclasses.field(default_factory=default.make)
            if isinstance(default, _Made)
            else default
            for name, default in owner._defaults.items()
        }
        twin: Any = type(owner.__name__, (), {**body, "__annotations__": owner.__annotations__})
        return dataclasses.dataclass(frozen=True)(twin).__dataclass_fields__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _ValueType(type):
    """Makes the classes that are written `class Name(Value)`."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        names = tuple(body.get("__annotations__", ()))
        defaults = {field: body.pop(field) for field in names if field in body}
        setters: list[Callable[..., None]] = []
        body["__init__"] = _initialiser(names, defaults, setters)
        body["__slots__"] = (*names, *body.get("__slots__", ()))
        body["__match_args__"] = names
        body["_defaults"] = defaults
        made = super().__new__(cls, name, bases, body)
        # The slots' own setters, past the `__setattr__` that refuses.
        setters += [made.__dict__[field].__set__ for field in names]
        return made


class Value(metaclass=_ValueType):
    """A class derived from this one has its annotated names as fields, in that order."""

    if not TYPE_CHECKING:
        __dataclass_fields__ = _Fields()
    __setattr__ = __delattr__ = _refuse_change
    __eq__ = _equal
    __hash__ = _hash
    __repr__ = _show
    __reduce__ = _reduce


class _NamedTupleType(type):
    """Makes the classes that are written `class Name(NamedTuple)`."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        names = tuple(body.get("__annotations__", ()))
        defaults = {field: body.pop(field) for field in names if field in body}
        body |= {field: _tuplegetter(place, None) for place, field in enumerate(names)}
        body["__slots__"] = ()
        body["__new__"] = _tuple_maker(names, defaults)
        body["__match_args__"] = body["_fields"] = names
        body["_field_defaults"] = defaults
        return super().__new__(cls, name, bases or (tuple,), body)


def _tuple_maker(names: tuple[str, ...], defaults: Mapping[str, Any]) -> Callable[..., Any]:
    n_fields = len(names)
    make = tuple.__new__

    def new(cls: type[Any], /, *args: Any, **given: Any) -> Any:
        if given or len(args) != n_fields:
            args = _bind(cls.__name__, names, defaults, args, given)
        return make(cls, args)

    return new


if not TYPE_CHECKING:

    class NamedTuple(metaclass=_NamedTupleType):
        """A tuple with named fields, as `typing.NamedTuple` makes it."""

        __repr__ = _show

        @classmethod
        def _make(cls, values: Iterable[Any]) -> Any:
            return cls(*values)

        def _replace(self, /, **changes: Any) -> Any:
            return self.__class__(**self._asdict() | changes)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)
