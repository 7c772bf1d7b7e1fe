"""How people are reached: emails by their form, and phone numbers as they are written down in four countries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hub.redaction.plain import Found, Plain

# --- emails ------------------------------------------------------------------------------------------------------

_LABEL, _LABEL_OF_ANY = "[A-Za-z0-9-]{1,63}", r"[\w-]{1,63}"
_AT = re.compile(
    rf"@(?!\d{{1,2}}x\.)(?:{_LABEL}(?:\.{_LABEL}){{0,7}}\.[A-Za-z][A-Za-z0-9-]{{1,62}}"
    rf"|{_LABEL_OF_ANY}(?:\.{_LABEL_OF_ANY}){{0,7}}\.[^\W\d_][\w-]{{1,62}}|\[[\d.:a-fA-F]{{2,45}}\])"
)
"""The `@` and a domain, the last part of which is no number; `@2x.png` is a picture."""
_BEFORE = 320
_LOCAL = re.compile(
    r"\"[^\"\s@]{1,64}\"|[A-Za-z0-9!#$%&'*+=?^_`{|}~-][A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,319}|\w{1,64}",
)
"""What may stand before the `@`, backwards: quoted, of signs that may (RFC 5322, 3.4.1), or of another script."""


def emails(plain: Plain, _lang: str) -> Iterator[Found]:
    """Read backwards from the `@`, for what comes before a name may be anything."""
    for domain in _AT.finditer(plain.text):
        at = domain.start()
        local = _LOCAL.match(plain.text[max(0, at - _BEFORE) : at][::-1])
        if local is not None:
            yield Found(at - local.end(), domain.end(), "email")


# --- phone numbers -----------------------------------------------------------------------------------------------

_REGIONS = {"ko": "KR", "vi": "VN", "ja": "JP", "en": "US"}
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.,\-/#])(?:\+|\(\+?)?\d(?:[ \t().\-–/,_·]{0,3}\d){6,14}"
    r"(?![\d%]|[.,\-/:_]\d|[-_]?[A-Za-z])"
)
_AMERICAN = re.compile(r"\d{3}[-. ]\d{3}[-. ]\d{4}")
_NO_PHONE = re.compile(r"\d+\.\d+|\d{1,4}([-/.,]) ?\d{1,2}\1 ?\d{1,4}|\d{1,3}(?:,\d{3})+")
"""A decimal, a date, an amount."""
_ODD = re.compile("[/,_·]")
_ABROAD = re.compile(r"84[35789]\d{8}|8210\d{8}|81[789]0\d{8}")
"""Mobile numbers with the code of their country and no sign before it."""
_TALK = (
    r"phone|\bcall\b|mobile|\bcell|\btel\b|whats ?app|reach me|contact"
    r"|zalo|dien thoai|\bsdt\b|\bgoi\b|전화|연락처|핸드폰|휴대폰|電話|携帯|連絡先"
)
_OF_PHONES = re.compile(_TALK, re.IGNORECASE)
_OF_NUMBERS = re.compile(
    rf"{_TALK}|my number|number is|\bso (?:cua )?(?:toi|minh|em)\b|번호는|番号は",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:order|booking|invoice|tracking|parcel|serial|ticket|reference|\bref|model|sku|\bid|imei|isbn|account|receipt"
    r"|room|gate|seat|\blot|unit|meter|part"
    r"|don hang|ma don|ma van don|hoa don|so may|so seri|tai khoan|ma so|ma ve"
    r"|주문|예약|송장|운송장|시리얼|일련|계좌|모델|영수증|注文|予約|伝票|追跡|シリアル|製造|口座|型番)"
    r"[^\n,.;!?、。]{0,20}\Z",
    re.IGNORECASE,
)
"""What else is numbered, right before its number."""
_NEAR = 40


def phones(plain: Plain, lang: str) -> Iterator[Found]:
    for match in _PHONE.finditer(plain.text):
        if _dialled(plain.text, match, lang) and not _is_of_something_else(plain.text, match):
            yield Found(*match.span(), "phone")


def _dialled(text: str, match: re.Match[str], lang: str) -> bool:
    """Where the talk is of phones, what looks like a number is one; elsewhere it must be one, in a form of its own."""
    number = match[0]
    if _NO_PHONE.fullmatch(number):
        return False
    if _ABROAD.fullmatch(number):
        return True
    own = number.startswith(("+", "0", "(")) or _AMERICAN.fullmatch(number) is not None
    if _ODD.search(number):
        return own and _reachable(number, lang)
    talk = _near(_OF_NUMBERS, text, match)
    return (own and talk) or ((own or talk) and _reachable(number, lang))


def _is_of_something_else(text: str, match: re.Match[str]) -> bool:
    if match[0].startswith("+"):
        return False
    before = _NUMBERED.search(text, max(0, match.start() - _NEAR), match.start())
    return before is not None and not _near(_OF_PHONES, text, match)


def _near(words: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    return words.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR) is not None


def _reachable(number: str, lang: str) -> bool:
    """Whether there are such numbers where one of the four languages is spoken, or where its prefix says."""
    from phonenumbers import (
        NumberParseException,
        is_valid_number,
        parse,
    )  # 46 MB of which only the regions met are read

    number = _ODD.sub(" ", number)
    first = _REGIONS.get(lang, "US")
    for region in dict.fromkeys((first, *_REGIONS.values(), "GB")):
        try:
            if is_valid_number(parse(number, region)):
                return True
        except NumberParseException:
            continue
    return False
