"""Personal data by its form: bank accounts, national ids and passports of four languages, and contacts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stdnum import iban
from stdnum.jp import in_ as my_number
from stdnum.kr import rrn
from stdnum.us import ssn

from hub.redaction.contacts import emails, phones
from hub.redaction.plain import Found, Plain
from hub.redaction.rules import Rule

Finder = Callable[[Plain, str], Iterator[Found]]
"""Text and its language -> what is found of one kind."""

GAP = r"[ \t.\-–_/·]?(?:\r?\n)?"
"""What may part the groups of a number that is written down."""
_NO_SIGN = re.compile(r"[^A-Za-z0-9]")

# --- accounts and papers -----------------------------------------------------------------------------------------

_IBAN = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{2}}\d{{2}}(?:{GAP}[A-Za-z0-9]{{1,4}}){{3,8}}(?![A-Za-z0-9])")
_ENDS = re.compile("[A-Za-z0-9](?![A-Za-z0-9])")


def _is_dated(number: str) -> bool:
    """Korean numbers begin with a birthday; since 2020 their last digit checks nothing."""
    return 1 <= int(number[2:4]) <= 12 and 1 <= int(number[4:6]) <= 31


_FORMS = re.compile(
    r"\d(?<![\d-]\d)(?:(?P<dated>\d{5}-[1-8]\d{6})|(?P<rrn>\d{12})|(?P<ssn>\d{2}-\d{2}-\d{4})"
    r"|(?P<mine>\d{3}[ -]\d{4}[ -]\d{4})(?![ -]\d))(?![\d-])"
)
_FITS: dict[str, Callable[[str], bool]] = {
    "dated": _is_dated, "rrn": rrn.is_valid, "ssn": ssn.is_valid, "mine": my_number.is_valid,
}  # fmt: skip
_BY_NAME = (
    Rule.of("national_id", "주민", r"주민\s?(?:등록)?\s?번호[^\d\n]{0,8}(?P<v>\d{6}\s?-?\s?\d{7})"),
    Rule.of(
        "national_id", "マイナンバー,個人番号", r"(?:マイナンバー|個人番号)[^\d\n]{0,8}(?P<v>\d{4}[ -]?\d{4}[ -]?\d{4})"
    ),
    Rule.of(
        "national_id",
        "cccd,cmnd,can cuoc,chung minh",
        r"(?:\bcccd\b|\bcmnd\b|can cuoc|chung minh)[^\d\n]{0,25}(?P<v>\d{12}|\d{9})(?!\d)",
    ),
    Rule.of(
        "national_id",
        "ssn,social security,national insurance",
        r"(?:\bssn\b|social security|national insurance)[^\d\n]{0,20}?(?P<v>\b\d{3}[ -]?\d{2}[ -]?\d{4}\b|",
        r"\b[a-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[a-d]\b)",
    ),
)
_PASSPORT = Rule.of(
    "passport",
    "passport,ho chieu,여권,旅券,パスポート",
    r"(?:passport|ho chieu|여권|旅券|パスポート)[^\d\n]{0,20}?(?<![A-Za-z])",
    r"(?P<v>[A-Z]{0,2}\d{7,9}|[A-Z]\d{3}[A-Z]\d{4})(?![A-Za-z0-9])",
)


def _ibans(plain: Plain, _lang: str) -> Iterator[Found]:
    """The longest run of groups that is an IBAN: words may follow it, and what looks like one may come before it."""
    text, at = plain.text, 0
    while (match := _IBAN.search(text, at)) is not None:
        ends = reversed([found.end() for found in _ENDS.finditer(text, *match.span())])
        end = next((end for end in ends if iban.is_valid(_NO_SIGN.sub("", text[match.start() : end]))), None)
        if end is not None:
            yield Found(match.start(), end, "iban")
        at = match.start() + 1 if end is None else end


def _national_ids(plain: Plain, _lang: str) -> Iterator[Found]:
    for match in _FORMS.finditer(plain.text):
        if _FITS[match.lastgroup or ""](match[0]):
            yield Found(*match.span(), "national_id")
    for rule in _BY_NAME:
        yield from rule.found(plain)


def _passports(plain: Plain, _lang: str) -> Iterator[Found]:
    return _PASSPORT.found(plain)


FINDERS: dict[str, Finder] = {
    "email": emails,
    "phone": phones,
    "iban": _ibans,
    "national_id": _national_ids,
    "passport": _passports,
}
