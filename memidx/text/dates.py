"""Which moment does this text name?

One normal form: `YYYY-MM-DD` for a day, `YYYY-MM-DDTHH:MM:SS[.ffffff]Z` for an instant, in UTC.
A time without a zone counts as UTC: where a file was written is not in the file.
The arithmetic is done here because importing `datetime` costs a cold query more than it needs.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, pattern
from memidx.text import DAY_SECONDS, days_of

if TYPE_CHECKING:
    import re

# Compiled when first used: a search that filters by no date should not wait for them.
_ISO = (
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?|/(\d{1,2})/(\d{1,2})|\.(\d{1,2})\.(\d{1,2})|(\d{2})(\d{2}))"
    r"(?:(?:[Tt]|[ \t]{1,4})(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?"
    r"[ \t]{0,4}(Z|z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?)?"
)
_DAY_FIRST = (
    r"(?i:(?:[a-z]{3,9},?[ ]+)?(\d{1,2})(?:st|nd|rd|th)?[ .-]{1,2}([a-z]{3,9})\.?,?[ -])"
    r"(\d{4})(?!\d)(.*)"
)
_MONTH_FIRST = (
    r"(?i:(?:[a-z]{3,9},[ ]+)?([a-z]{3,9})\.?[ ]+(\d{1,2})(?:st|nd|rd|th)?,?[ ]+)"
    r"(\d{4})(?!\d)(.*)"
)
_CLOCK = (
    r"[ ,T]*(?:at )?(\d{1,2}):(\d{2})(?::(\d{2}))?[ ]{0,2}(Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
    r"(?:[ ]\([A-Za-z]{1,9}\))?"
)
_NAME_DAY = r"(?<!\d)(\d{4})(?:([-_.])(\d{2})\2(\d{2})|(\d{2})(\d{2}))(?!\d)"
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_LONGEST = 64
# 0001-01-01 and 9999-12-31 as days since 1970-01-01.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


def parse_time(text: str) -> str | None:
    """The normal form of a date or date-time; None when the text is neither.

    Read are ISO 8601 (also with a space for `T`, `/` or `.` between the parts, one-digit parts,
    `YYYYMMDD`, and `YYYY-MM`, which counts as the month's first day), English month names
    (`5 March 2024`, `Mar 5, 2024`, RFC 2822) and nothing that could mean two days (`03/04/2024`).
    """
    text = text.strip()
    if not 6 <= len(text) <= _LONGEST:
        return None
    found = _pattern(_ISO).fullmatch(text)
    if found:
        year, month, day, month_b, day_b, month_c, day_c, month_d, day_d, *clock = found.groups()
        return _moment(
            int(year),
            int(month or month_b or month_c or month_d),
            int(day or day_b or day_c or day_d or 1),
            clock,
        )
    return _named_month(text)


def time_from_number(value: float) -> str | None:
    """The instant of a Unix time in seconds, milliseconds or microseconds.

    Only counts that fall between 1973 and 5138 are taken for times: a smaller number is more
    often a year, a counter or a duration.
    """
    if not 1e8 <= value < 1e17:
        return None
    if value >= 1e14:
        value /= 1e6
    elif value >= 1e11:
        value /= 1e3
    seconds = int(value // 1)
    return _format(seconds, round((value - seconds) * 1e3) * 1000)


def time_from_seconds(seconds: int) -> str | None:
    """The instant of a Unix time that is known to be one; None out of the calendar's range."""
    return _format(seconds, 0)


def date_in_name(name: str) -> str | None:
    """The first day that a file name holds.

    Read are `YYYY-MM-DD`, `YYYY_MM_DD`, `YYYY.MM.DD`, and `YYYYMMDD` from 1900 to 2199 (it is
    often just a number).
    """
    for found in _pattern(_NAME_DAY).finditer(name):
        year, _, month, day, month_b, day_b = found.groups()
        if month_b and not 1900 <= int(year) <= 2199:
            continue
        moment = _moment(int(year), int(month or month_b), int(day or day_b), ())
        if moment:
            return moment
    return None


def _pattern(source: str) -> re.Pattern[str]:
    return pattern(f"(?a){source}")


def _named_month(text: str) -> str | None:
    found = _pattern(_DAY_FIRST).fullmatch(text)
    if found:
        day, month, year, rest = found.groups()
    else:
        found = _pattern(_MONTH_FIRST).fullmatch(text)
        if not found:
            return None
        month, day, year, rest = found.groups()
    number = _month_number(month)
    if number is None:
        return None
    rest = rest.strip()
    if not rest:
        return _moment(int(year), number, int(day), ())
    clock = _pattern(_CLOCK).fullmatch(rest)
    if not clock:
        return None
    hour, minute, second, zone = clock.groups()
    return _moment(int(year), number, int(day), (hour, minute, second, None, zone))


def _month_number(name: str) -> int | None:
    name = name.lower()
    for number, month in enumerate(_MONTHS, 1):
        if name in (month, month[:3]) or (name == "sept" and number == 9):
            return number
    return None


def _moment(
    year: int, month: int, day: int, clock: list[str | None] | tuple[str | None, ...]
) -> str | None:
    """The normal form of checked parts; `clock` is hour, minute, second, fraction, zone."""
    if not (year >= 1 and 1 <= month <= 12 and 1 <= day <= _monthdays_of(year, month)):
        return None
    if not clock or clock[0] is None:
        return f"{year:04d}-{month:02d}-{day:02d}"
    hour, minute, second = int(clock[0]), int(clock[1] or 0), int(clock[2] or 0)
    # A leap second is kept as the second before it: no calendar here has a 60th.
    second = 59 if second == 60 else second
    if hour > 23 or minute > 59 or second > 59:
        return None
    offset = _offset_seconds(clock[4])
    if offset is None:
        return None
    micro = int((clock[3] or "0")[:6].ljust(6, "0"))
    total = days_of(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset
    return _format(total, micro)


def _offset_seconds(zone: str | None) -> int | None:
    if zone is None or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 18 or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def _format(seconds: int, micro: int) -> str | None:
    if micro >= 1_000_000:
        seconds, micro = seconds + 1, micro - 1_000_000
    days, rest = divmod(seconds, DAY_SECONDS)
    if not _FIRST_DAY <= days <= _LAST_DAY:
        return None
    year, month, day = _civil(days)
    fraction = f".{micro:06d}".rstrip("0") if micro else ""
    return (
        f"{year:04d}-{month:02d}-{day:02d}"
        f"T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}{fraction}Z"
    )


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _monthdays_of(year: int, month: int) -> int:
    if month == 2:
        return 29 if _leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _civil(days: int) -> tuple[int, int, int]:
    """The inverse of `days_of`."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day
