"""Folding, tokens and guesses in four languages: what is found by what, what must stay apart, what must not break."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub import text as room
from hub.text import estimate_tokens, fold, identifiers, is_stop, lang_of, tokens

WILD = st.text() | st.text(
    alphabet="aé1,.-'_/: \u0301\u0308\u3099ｶﾞが車차가커피ởđ🍜🇻\u200d\ufe0f\ud800\x00ßİ", max_size=40
)


# --- folding -----------------------------------------------------------------------------------------------------

FOLDED = [
    ("München", "munchen"),
    ("cà phê", "ca phe"),
    ("Đà Nẵng", "da nang"),
    ("Nguyễn Thị Ngọc Ánh", "nguyen thi ngoc anh"),
    ("Straße", "strasse"),
    ("Søren Łukasz", "soren lukasz"),
    ("œuvre, æther", "oeuvre, aether"),
    ("ǣ", "ae"),
    ("İstanbul, Diyarbakır", "istanbul, diyarbakir"),
    ("Ｔｏｋｙｏ　２０２６", "tokyo 2026"),
    ("ﬁn", "fin"),
    ("Αθήνα", "αθηνα"),
    ("Сергей Ёлкин", "сергей елкин"),
    ("за́мок", "замок"),
    ("パン", "パン"),
    ("ｶﾞｷﾞ", "ガギ"),
    ("か\u3099", "が"),
    ("커피", "커피"),
    (unicodedata.normalize("NFD", "커피 パン cà phê й"), "커피 パン ca phe й"),
    ("O’Brien WH‑1000XM5", "o'brien wh-1000xm5"),
    ("zero\u200bwidth soft\u00adhyphen \ufeffBOM", "zerowidth softhyphen bom"),
    ("e\u200d\u0301", "e"),
    ("❤️", "❤"),
    ("👍🏽", "👍"),
    ("", ""),
]


@pytest.mark.parametrize(("written", "folded"), FOLDED)
def test_what_looks_alike_folds_alike(written, folded):
    assert fold(written) == folded


@pytest.mark.parametrize(("one", "other"), [("はは", "ぱぱ"), ("か", "が"), ("й", "и"), ("ハ", "バ"), ("n", "m")])
def test_letters_in_their_own_right_stay_apart(one, other):
    assert fold(one) != fold(other)


@given(WILD)
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="Cà phêđĐ ởパか\u3099ﾞ\u0301차", min_size=1, max_size=30), st.integers(500, 530))
def test_a_long_text_folds_as_its_parts_would(text, before):
    words = "ab " * (before // 3) + text
    assert fold(words + " " + text) == fold(words) + " " + fold(text)


# --- tokens ------------------------------------------------------------------------------------------------------

TOKENS = [
    ("WH-1000XM5", ["wh-1000xm5", "wh1000xm5", "1000xm5", "xm5"]),
    ("ORD-48200", ["ord-48200", "ord48200", "48200"]),
    ("ORD48200", ["ord48200", "48200"]),
    ("#48200", ["48200"]),
    ("COVID-19", ["covid-19", "covid19", "covid"]),
    ("iPhone15", ["iphone15", "iphon"]),
    ("iPhone 15", ["iphon", "15"]),
    ("XM5", ["xm5"]),
    ("5kg", ["5kg", "5", "kg"]),
    ("3-day trip", ["3-day", "3day", "3", "day", "trip"]),
    ("2026-03-01", ["2026-03-01", "20260301", "2026"]),
    ("10:30", ["10:30"]),
    ("v1.2.3", ["v1.2.3"]),
    ("192.168.1.1", ["192.168.1.1"]),
    ("room-7/a1b2", ["room-7/a1b2", "room", "a1b2"]),
    ("user_name", ["user", "name"]),
    ("3,000 USD", ["3000", "usd"]),
    ("3000usd", ["3000usd", "3000", "usd"]),
    ("$1,234,567.50", ["1234567.50"]),
    ("3.000.000 đồng", ["3000000", "dong"]),
    ("1.234,50 €", ["1234.50"]),
    ("3.000", ["3.000", "3000"]),
    ("3.5kg", ["3.5", "kg"]),
    ("1,2,3 and 10,20", ["1", "2", "3", "and", "10", "20"]),
    ("0,500", ["0", "500"]),
    ("٣ ３", ["٣", "3"]),
    ("Anna's friends' car", ["anna", "friend", "car"]),
    ("don't I'm we'll they've", ["dont", "i", "we", "they"]),
    ("O’Brien", ["o", "brien"]),
    ("status: done", ["status", "done"]),
    ("GB/s", ["gb", "s"]),
    ('" OR NEAR( *', ["or", "near"]),
    ("外币汇率换算", ["外币", "币汇", "汇率", "率换", "换算"]),
    ("커피를 좋아해", ["커피", "피를", "좋아", "아해"]),
    ("차가 없다", ["차가", "차", "없다"]),
    ("車", ["車"]),
    ("私の車", ["私の", "の車", "私", "車"]),
    ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
    ("車・家", ["車", "家"]),
    ("3日間", ["3", "日間"]),
    ("人々", ["人々"]),
    ("Honda Civicを買う", ["honda", "civic", "を買", "買う", "買"]),
    ("Сергей-младший", ["сергей", "младший"]),
    ("I like 🍜", ["i", "like", "🍜"]),
    ("👩\u200d🍳🇻🇳🇯🇵👍🏽❤️", ["👩", "🍳", "🇻🇳", "🇯🇵", "👍", "❤"]),
    ("", []),
    (" \n\t", []),
    ("!!! ... ??? — “”、。…・", []),
    ("• ● ■ → $ € % + = < > ^ ~ ` |", []),
    ("\ud800\udfff\x00", []),
    ("a\x00b\ud800c", ["a", "b", "c"]),
]


@pytest.mark.parametrize(("text", "found"), TOKENS, ids=lambda value: ascii(value)[:30])
def test_a_text_gives_its_words_in_order(text, found):
    assert tokens(text) == found


NAMED = [
    ("order ORD-48209 and 48207", [("ord-48209", "ord48209", "48209"), ("48207",)]),
    ("the WH-1000XM5 or B747", [("wh-1000xm5", "wh1000xm5", "1000xm5", "xm5"), ("b747",)]),
    ("注文ORD-48207は？", [("ord-48207", "ord48207", "48207")]),
    ("3,000 USD, 800usd, 3-day, 100km, 10:30, in 2026, iPhone15, covid-19", []),
    ("no number at all", []),
]


@pytest.mark.parametrize(("text", "found"), NAMED, ids=lambda value: ascii(value)[:30])
def test_what_names_one_thing_exactly_is_known_by_its_digits(text, found):
    assert identifiers(text) == found


FINDS = [
    ("munchen", "München"),
    ("ca phe", "cà phê"),
    ("CÀ PHÊ", "ca phe"),
    ("커피", "커피를 마신다"),
    ("차", "차가 고장났어요"),
    ("車", "車が故障中（3日間）"),
    ("好き", "私の好きな色は青です"),
    ("汇率", "外币汇率换算"),
    ("сергей", "Сергей"),
    ("🍜", "phở 🍜!"),
    ("48200", "My order ORD-48200"),
    ("ORD-48200", "order 48200"),
    ("WH1000XM5", "Sony WH-1000XM5 headphones"),
    ("xm5", "Sony WH-1000XM5 headphones"),
    ("covid", "COVID-19"),
    ("iphone", "iPhone15"),
    ("3 days", "a 3-day trip"),
    ("$3000", "budget 3,000 USD"),
    ("3000", "3.000 đồng"),
    ("5 kg", "5kg"),
    ("Anna", "Anna’s"),
    ("xe", "không có xe 3 ngày"),
]


@pytest.mark.parametrize(("query", "text"), FINDS)
def test_a_query_finds_the_text(query, text):
    assert set(tokens(query)) & set(tokens(text))


APART = [
    ("ORD-48200", "ORD-48201"),
    ("ORD48200", "ORD48201"),
    ("INV-17", "INV-18"),
    ("2026-03-01", "2027-03-01"),
    ("090-1234-5678", "091-4321-8765"),
    ("10:30", "10:45"),
    ("3.5", "35"),
    ("0.500", "500"),
    ("電車", "車"),
    ("car", "care"),
    ("plan", "plane"),
    ("hop", "hope"),
    ("even", "evening"),
    ("wed", "wedding"),
    ("new", "news"),
    ("her", "herring"),
    ("thing", "the"),
    ("king", "kings road".split()[1]),
    ("bus", "busy"),
    ("ring", "r"),
    ("bed", "b"),
    ("🇻🇳", "🇯🇵"),
]


@pytest.mark.parametrize(("query", "text"), APART)
def test_a_query_does_not_find_what_only_resembles_it(query, text):
    assert not set(tokens(query)) & set(tokens(text))


SAME_WORD = """
book books booked booking bookings
move moves moved moving
live lives lived living
arrive arrives arrived arriving
plan plans planned planning
plane planes
travel travels traveled travelled traveling travelling
cancel cancelled canceled
install installs installed
allergy allergies
city cities
movie movies
cookie cookies
die dies
tie ties
study studies studied studying
create creates created creating
organize organized organizing
enable enabled
box boxes
watch watches watched
dish dishes
glass glasses
address addresses
house houses housing
shoe shoes
potato potatoes
bus buses
gas gases
price prices priced pricing
use uses used using
need needs needed needing
agree agrees agreed
exceed exceeded
add adds added adding
call calls called
offer offers offered
child children
person people
news
status
paris
tennis
thing things
king kings
speed
"""


@pytest.mark.parametrize("words", SAME_WORD.strip().splitlines())
def test_forms_of_an_english_word_are_one_token(words):
    assert len(set(tokens(words))) == 1


def test_no_two_of_these_words_share_a_token():
    lines = SAME_WORD.strip().splitlines()
    assert len({tokens(line)[0] for line in lines}) == len(lines)


@pytest.mark.parametrize("word", "sing bring spring string thing bed red sled feed going died status Paris".split())
def test_a_word_that_only_looks_inflected_stays_whole(word):
    assert tokens(word) == [word.lower()]


@given(WILD)
def test_tokens_are_words_that_can_be_written_and_folded_again(text):
    for token in tokens(text):
        assert token
        token.encode()
        assert fold(token) == token
    assert tokens(fold(text)) == tokens(text)


@given(WILD, WILD)
def test_a_line_break_keeps_words_apart(one, other):
    assert tokens(f"{one}\n{other}") == tokens(one) + tokens(other)


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_reads_the_same_beside_other_scripts(text):
    assert tokens(text + " ж") == [*tokens(text), "ж"]


HOSTILE = {
    "combining marks": "\u0301\u0316",
    "combining marks on letters": "a\u0316\u0301\u0316",
    "voiced marks": "\u3099\u309a",
    "one word": "x",
    "vowels": "e",
    "syllables": "ab",
    "digits": "1",
    "groups of digits": "111,",
    "versions": "1.",
    "joints": "a1-",
    "apostrophes": "a'",
    "clitics": "'s",
    "quantities": "1a",
    "kanji": "車",
    "kanji and kana": "車か",
    "flags": "🇻",
    "long ligatures": "\ufdfa",
    "surrogates": "\ud800",
    "nul": "a\0",
    "spaces": " ",
}


@pytest.mark.parametrize("ending", ["", "ing", ",111"])
@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_a_very_long_text_is_read_to_its_end(part, ending):
    long = part * (100_000 // len(fold(part) or part))
    assert tokens(f"{long}{ending} end")[-1] == "end"
    assert len(tokens(long)) <= 2 * len(fold(long))
    assert estimate_tokens(long) > 0
    assert lang_of(long) in {"en", "ko", "vi", "ja"}


@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_normalising_never_gets_a_long_run_of_marks(part):
    pieces = room._PIECE.findall(part * 2_000)
    assert max(map(len, pieces)) <= 512
    assert "".join(pieces) == part * 2_000


def test_a_piece_does_not_end_before_a_mark():
    for before in range(520):
        assert fold("が" + "x" * before + "か\u3099ｶﾞ한") == "が" + "x" * before + "がガ한"


# --- stop words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["what is the", "Where do I have to be?", "của tôi là gì", "는 에서", "は です", "에"])
def test_grammar_is_no_content(text):
    assert all(map(is_stop, tokens(text)))


@pytest.mark.parametrize("word", "car no not like xe chay không bạn 車 커피 차 青 us 🍜 3000 ord-48200 ill may".split())
def test_content_is_no_stop_word(word):
    assert not any(map(is_stop, tokens(word)))


# --- guesses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        (" ", 1, 1),
        ("a b c d", 4, 4),
        ("My order ORD-48200 for a blue backpack hasn't arrived yet", 12, 18),
        ("Tôi bị dị ứng đậu phộng", 8, 12),
        ("車が故障中", 5, 5),
        ("커피를 좋아해요", 7, 8),
        ("🍜🍜", 2, 4),
        ("x" * 400, 100, 100),
        ("\ud800", 1, 1),
    ],
)
def test_the_number_of_model_tokens_is_about_right(text, low, high):
    assert low <= estimate_tokens(text) <= high


@given(WILD, WILD)
def test_a_text_costs_no_more_than_its_parts_and_no_less_than_one_of_them(one, other):
    whole = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= whole <= estimate_tokens(one) + estimate_tokens(other)


@given(WILD)
def test_only_an_empty_text_costs_nothing(text):
    assert (estimate_tokens(text) == 0) == (text == "")
    assert estimate_tokens(text) >= len(re.findall(r"\S+", text, re.ASCII)) or not text.isascii()


LANGUAGES = [
    ("I'm allergic to peanuts", "en"),
    ("café in São Paulo", "en"),
    ("München", "en"),
    ("Сергей", "en"),
    ("外币汇率换算", "en"),
    ("toi an chay", "vi"),
    ("ten toi la Lan, toi an chay", "vi"),
    ("goi y do an vat cho toi", "vi"),
    ("Toi and moi is a song", "en"),
    ("an", "en"),
    ("la la la", "en"),
    ("", "en"),
    ("🍜", "en"),
    ("Tôi bị dị ứng đậu phộng", "vi"),
    ("TÔI LÀ AN", "vi"),
    ("cà phê", "vi"),
    ("đi", "vi"),
    (unicodedata.normalize("NFD", "phở"), "vi"),
    ("커피를 좋아해요", "ko"),
    (unicodedata.normalize("NFD", "커피"), "ko"),
    ("Honda Civic가 고장났어요", "ko"),
    ("車が故障中（3日間）", "ja"),
    ("ｺｰﾋｰ", "ja"),
    ("韓国のチャプチェ(잡채)が好き", "ja"),
    ("\ud800\x00", "en"),
]


@pytest.mark.parametrize(("text", "lang"), LANGUAGES, ids=lambda value: ascii(value)[:30])
def test_the_language_is_guessed_by_its_letters(text, lang):
    assert lang_of(text) == lang
