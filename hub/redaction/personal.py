"""Personal data by its form: emails, phone numbers, bank accounts, national ids and passports of four languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stdnum import iban
from stdnum.jp import in_ as my_number
from stdnum.kr import rrn
from stdnum.us import ssn

from hub.redaction.plain import Found, Plain
from hub.redaction.rules import Rule

Finder = Callable[[Plain, str], Iterator[Found]]
"""Text and its language -> what is found of one kind."""

# --- emails and phone numbers ------------------------------------------------------------------------------------

_EMAIL = Rule.of("email", "@", r"(?<![\w.+-])(?P<v>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})")

_REGIONS = {"ko": "KR", "vi": "VN", "ja": "JP", "en": "US"}
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.,\-/#])(?:\+|\(\+?)?\d(?:[ \t().\-–]{0,3}\d){6,14}(?![\d%]|[.,\-/:]\d|[-_]?[A-Za-z])"
)
_AMERICAN = re.compile(r"\d{3}[-. ]\d{3}[-. ]\d{4}")
_DECIMAL = re.compile(r"\d+\.\d+")
_CALL = re.compile(
    r"phone|\bcall\b|mobile|\bcell|\btel\b|whats ?app|reach me|contact|my number|number is"
    r"|zalo|dien thoai|\bsdt\b|\bgoi\b|\bso (?:cua )?(?:toi|minh|em)\b"
    r"|전화|연락처|핸드폰|휴대폰|번호는|電話|携帯|連絡先|番号は",
    re.IGNORECASE,
)
_NEAR = 40


def _emails(plain: Plain, _lang: str) -> Iterator[Found]:
    return _EMAIL.found(plain)


def _phones(plain: Plain, lang: str) -> Iterator[Found]:
    for match in _PHONE.finditer(plain.text):
        if _dialled(plain.text, match, lang):
            yield Found(*match.span(), "phone")


def _dialled(text: str, match: re.Match[str], lang: str) -> bool:
    """Where the talk is of phones, what looks like a number is one; elsewhere it must be one, in a form of its own."""
    number = match[0]
    if _DECIMAL.fullmatch(number):
        return False
    talk = _CALL.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR) is not None
    own = number.startswith(("+", "0", "(")) or _AMERICAN.fullmatch(number) is not None
    return (own and talk) or ((own or talk) and _reachable(number, lang))


def _reachable(number: str, lang: str) -> bool:
    """Whether there are such numbers where one of the four languages is spoken, or where its prefix says."""
    from phonenumbers import (
        NumberParseException,
        is_valid_number,
        parse,
    )  # 46 MB of which only the regions met are read

    first = _REGIONS.get(lang, "US")
    for region in dict.fromkeys((first, *_REGIONS.values(), "GB")):
        try:
            if is_valid_number(parse(number, region)):
                return True
        except NumberParseException:
            continue
    return False


# --- accounts and papers -----------------------------------------------------------------------------------------

_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4}){3,8}\b")


def _is_dated(number: str) -> bool:
    """Korean numbers begin with a birthday; since 2020 their last digit checks nothing."""
    return 1 <= int(number[2:4]) <= 12 and 1 <= int(number[4:6]) <= 31


_BY_FORM: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (re.compile(r"(?<![\d-])\d{6}-[1-8]\d{6}(?![\d-])"), _is_dated),
    (re.compile(r"(?<![\d-])\d{13}(?![\d-])"), rrn.is_valid),
    (re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"), ssn.is_valid),
    (re.compile(r"(?<![\d-])\d{4}[ -]\d{4}[ -]\d{4}(?![\d-]|[ -]\d)"), my_number.is_valid),
)
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
    """The longest run of groups that is an IBAN: words in capitals may follow it."""
    for match in _IBAN.finditer(plain.text):
        ends = [match.end(), *(match.start() + gap.start() for gap in reversed(list(re.finditer(" ", match[0]))))]
        fitting = (end for end in ends if iban.is_valid(plain.text[match.start() : end]))
        if (end := next(fitting, None)) is not None:
            yield Found(match.start(), end, "iban")


def _national_ids(plain: Plain, _lang: str) -> Iterator[Found]:
    for pattern, fits in _BY_FORM:
        yield from (Found(*match.span(), "national_id") for match in pattern.finditer(plain.text) if fits(match[0]))
    for rule in _BY_NAME:
        yield from rule.found(plain)


def _passports(plain: Plain, _lang: str) -> Iterator[Found]:
    return _PASSPORT.found(plain)


FINDERS: dict[str, Finder] = {
    "email": _emails,
    "phone": _phones,
    "iban": _ibans,
    "national_id": _national_ids,
    "passport": _passports,
}
