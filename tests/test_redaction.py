"""What is never kept and what is blanked out: found in four languages and in disguise, and nothing else is touched."""

from __future__ import annotations

import random
import re
import sys

import pytest

from hub.errors import Denied
from hub.redaction import PERSONAL, SECRETS, Redacted, names_a_secret, refuse_secrets, screened, without_secrets
from hub.redaction.plain import Found, Plain
from hub.redaction.rules import Rule

SEED = "abandon ability able about above absent absorb abstract absurd abuse access accident"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

SECRET_TEXTS = [
    # --- passwords
    ("my password is hunter2", "my password is [password]"),
    ("The wifi password is: Tr0ub4dor&3.", "The wifi password is: [password]."),
    ("password: swordfish", "password: [password]"),
    ("my password for netflix is still correct-horse", "my password for netflix is still [password]"),
    ("PASSWORD 4bananas please", "PASSWORD [password] please"),
    ("hunter2 is my bank password", "[password] is my bank password"),
    ("log in with pwd=abc123 as root", "log in with pwd=[password] as root"),
    ("my passphrase was “opensesame” then", "my passphrase was “[password]” then"),
    ("mật khẩu của tôi là Abc@123", "mật khẩu của tôi là [password]"),
    ("mật khẩu wifi: sunflower99", "mật khẩu wifi: [password]"),
    ("mat khau toi la hanoi123", "mat khau toi la [password]"),
    ("비밀번호는 qwer1234예요", "비밀번호는 [password]예요"),
    ("비번 1q2w3e4r", "비번 [password]"),
    ("패스워드는 'letmein'이에요", "패스워드는 '[password]'이에요"),
    ("パスワードはpass1234です", "パスワードは[password]です"),
    ("パスワードは「swordfish」", "パスワードは「[password]」"),
    ("暗証番号は4821です", "暗証番号は[password]です"),
    ("see https://bob:s3cret@example.com/x", "see https://bob:[password]@example.com/x"),
    ("pw: hunter2", "pw: [password]"),
    ("my p@ssword is hunter2", "my p@ssword is [password]"),
    ("Passw0rd= letmein", "Passw0rd= [password]"),
    ("the wifi pa$$word: sesame!", "the wifi pa$$word: [password]"),
    ("user/pass: bob1/x9y8z7", "user/pass: [password]"),
    ("pass is b4n4n4s", "pass is [password]"),
    ("mk: hanoi2024", "mk: [password]"),
    ("mk là h4noi nhé", "mk là [password] nhé"),
    ("PW는 qwer1234예요", "PW는 [password]예요"),
    ("패스: qwer1234", "패스: [password]"),
    ("pwはpass1234です", "pwは[password]です"),
    ("パスはpass1234です", "パスは[password]です"),
    # --- PINs and codes
    ("my PIN is 4821", "my PIN is [pin]"),
    ("the pin for the front door is 9912", "the pin for the front door is [pin]"),
    ("mã pin là 1234", "mã pin là [pin]"),
    ("핀번호는 1234", "핀번호는 [pin]"),
    ("CVV: 737, exp 12/27", "CVV: [card code], exp 12/27"),
    ("the security code is 123", "the security code is [card code]"),
    ("mã bảo mật 456", "mã bảo mật [card code]"),
    ("보안코드 345", "보안코드 [card code]"),
    ("セキュリティコードは789", "セキュリティコードは[card code]"),
    ("otp 482913", "otp [one time code]"),
    ("인증번호 123456 입니다", "인증번호 [one time code] 입니다"),
    ("mã OTP của bạn là 448291", "mã OTP của bạn là [one time code]"),
    ("認証コードは112233です", "認証コードは[one time code]です"),
    # --- cards
    ("pay with 4111 1111 1111 1111 please", "pay with [card number] please"),
    ("4111-1111-1111-1111 12/27", "[card number] 12/27"),
    ("5555555555554444,", "[card number],"),
    ("amex 3782 822463 10005", "amex [card number]"),
    ("diners 3056 930902 5904", "diners [card number]"),
    ("jcb 3530111333300000", "jcb [card number]"),
    ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[card number]"),
    ("４１１１　１１１１　１１１１　１１１１", "[card number]"),
    ("41\u200b11 1111\u200b 1111 1111", "[card number]"),
    ("٤١١١١١١١١١١١١١١١", "[card number]"),
    ("4111_1111_1111_1111", "[card number]"),
    ("my card:\n4111 1111\n1111 1111\nthanks", "my card:\n[card number]\nthanks"),
    ("카드\n4111\n1111\n1111\n1111", "카드\n[card number]"),
    ("thẻ: 4111 1111 \r\n1111 1111", "thẻ: [card number]"),
    ("カード番号 4111-1111-\n1111-1111", "カード番号 [card number]"),
    ("order 7, card 4111111111111111 and 5105 1051 0510 5100", "order 7, card [card number] and [card number]"),
    # --- keys
    ("use sk-proj-abcdEFGH1234567890abcd", "use [api key]"),
    ("AKIAIOSFODNN7EXAMPLE", "[api key]"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[api key]"),
    (f"token {JWT}", "token [api key]"),
    ("Authorization: Bearer 8f3K2mQ9xTz7LpW4", "Authorization: Bearer [api key]"),
    ("the api key is 9f8a7b6c5d4e3f2a1b0c", "the api key is [api key]"),
    ("API 키는 9f8a7b6c5d4e3f2a1b0c 입니다", "API 키는 [api key] 입니다"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nbye", "[private key]\nbye"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEow", "[private key]"),
    ("private key: " + "e9873d79c6d87dc0fb6a5778633389f4" * 2, "private key: [private key]"),
    ("AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2, "[private key]"),
    # --- seed phrases
    (f"my seed phrase is: {SEED}", "my seed phrase is: [seed phrase]"),
    (f"cụm từ khôi phục là {SEED}", "cụm từ khôi phục là [seed phrase]"),
    (f"복구 구문은 {SEED}", "복구 구문은 [seed phrase]"),
    (f"here:\n{SEED}\nkeep it", "here:\n[seed phrase]\nkeep it"),
    ("add bid cat dog egg fox gum hat ice jar key lab", "[seed phrase]"),  # as short as there is
    (" ".join(f"{n}. {word}" for n, word in enumerate(SEED.split(), 1)), "[seed phrase]"),
    # --- in disguise
    ("My раssword is hunter2", "My раssword is [password]"),
    ("m\u200by pass\u200bword is hunter2", "m\u200by pass\u200bword is [password]"),
    ("ｐａｓｓｗｏｒｄ： hunter2", "password: [password]"),
    ("ﾊﾟｽﾜｰﾄﾞはpass1234です", "パスワードは[password]です"),
    ("비밀번호는 qwer1234예요".encode().decode(), "비밀번호는 [password]예요"),
]

HARMLESS = [
    "The battery on my Sony WH-1000XM5 headphones drains too fast",
    "My order ORD-48211 for a water bottle hasn't arrived, it was 3,000,000 VND on 2026-07-01 at 10:30",
    "order 4111111111111112 and tracking 1Z999AA10123456784",
    "iPhone 15 Pro, serial C02XK1ZLJGH5, IMEI 356938035643809",
    "flight VN123 on 10/03/2026, seat 14C, booking ABC123, terminal 2",
    "invoice 20260701120000, total 1,234,567.89 USD, 50 % off, room 1203",
    "measured 4111 1111 and then 1111 1111 1111",
    "I forgot my password, it has expired",
    "my password is wrong and not working",
    "changed my password and my name is Anna",
    "I changed my password today. The colour is blue",
    "mật khẩu là gì vậy, sai rồi",
    "비밀번호를 잊어버렸어요",
    "パスワードを忘れました",
    "パスワードはWi-Fiの設定で変えました",
    "PIN code 560001, Bangalore",
    "pin the note from 1999 to the board",
    "the key to success is a secret, a token of love",
    "I like the secret garden, and the basic understanding of it",
    "Nhà tôi ở số 12 đường Láng, mua xe năm 2019 giá 500,000,000 đồng",
    "2026년 7월 1일 오전 10시 30분에 3,000,000원을 냈어요",
    "2026年7月1日に30,000円で買いました、型番はWH-1000XM5です",
    "milk bread cheese butter apples oranges and bananas for the lunch on the weekend with friends",
    "my cat and the dog like it when we all go out for a walk near the lake",
    "version 1.2.3.4 at 192.168.10.20 and 3.14159265358979",
    "call extension 1234, ask for room 4821",
    f"{SEED} more",
    "a bus pass: zone2, please pass: A1B2C3, the pw of the lens is f2x",
    "boarding pass: A1234, ski pass is 3days, the pass is 2800m high",
    "a Michael Kors mk: bag, MK 12345",
    "lens pw 50mm, PW2 sensor",
    "패스는 KTX예요, パスはJRです",
    "stock:\n4111\n1111\n1111\n1111",
    "meet @ 5, ping @anna or youtube.com/@some.name",
]


@pytest.mark.parametrize(("text", "kept"), SECRET_TEXTS)
def test_a_secret_is_blanked_out_and_nothing_beside_it(text: str, kept: str) -> None:
    assert without_secrets(text) == kept
    with pytest.raises(Denied) as refused:
        refuse_secrets(None, "", text)
    assert refused.value.code == "secret"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays_to_the_letter(text: str) -> None:
    found = screened(text, PERSONAL)
    assert (found.open, found.kept, found.redacted) == (text, text, ())
    refuse_secrets(text)


@pytest.mark.parametrize(("text", "_kept"), SECRET_TEXTS)
def test_in_what_is_kept_nothing_is_found_again(text: str, _kept: str) -> None:
    once = screened(text, PERSONAL)
    again = screened(once.kept, PERSONAL)
    assert (again.kept, again.redacted) == (once.kept, ())
    assert once.secrets
    assert set(once.secrets) <= set(SECRETS)


@pytest.mark.parametrize(
    ("lang", "text", "kept"),
    [
        ("en", "write to kim.lee+spam@example.co.kr.", "write to [email]."),
        ("en", "call me at 415-555-2671", "call me at [phone]"),
        ("en", "it is +1 415-532-6000 there", "it is [phone] there"),
        ("en", "my phone: (415) 532-6000", "my phone: [phone]"),
        ("en", "my number is 4155326000", "my number is [phone]"),
        ("en", "the contact number is 01223 323737", "the contact number is [phone]"),
        ("ko", "제 번호는 010-1234-5678입니다", "제 번호는 [phone]입니다"),
        ("vi", "gọi cho tôi số 0912 345 678 nhé", "gọi cho tôi số [phone] nhé"),
        ("ja", "電話番号は090-1234-5678です", "電話番号は[phone]です"),
        ("en", "0912 345 678 is Mai's", "[phone] is Mai's"),
        ("en", "IBAN GB82 WEST 1234 5698 7654 32 AND MORE", "IBAN [iban] AND MORE"),
        ("en", "DE89370400440532013000", "[iban]"),
        ("ko", "주민번호 900101-1234567", "주민번호 [national id]"),
        ("ko", "900101-1234567이에요", "[national id]이에요"),
        ("vi", "số CCCD của tôi là 001099012345", "số CCCD của tôi là [national id]"),
        ("ja", "マイナンバーは1234 5678 9018です", "マイナンバーは[national id]です"),
        ("en", "my SSN is 536904399", "my SSN is [national id]"),
        ("en", "536-90-4399", "[national id]"),
        ("en", "passport number is M12345678", "passport number is [passport]"),
        ("vi", "hộ chiếu B1234567", "hộ chiếu [passport]"),
        ("ko", "여권번호 M123A4567", "여권번호 [passport]"),
        ("en", "canary!tag@x.com", "[email]"),
        ("en", "ask o'brien+a=b@mail.example.org!", "ask [email]!"),
        ("en", 'it is "john.doe"@example.org or bob@[192.168.2.1]', "it is [email] or [email]"),
        ("ko", "메일은 bob_lee@example.com으로 주세요", "메일은 [email]으로 주세요"),
        ("ja", "メールはbob@example.comです", "メールは[email]です"),
        ("ja", "ご連絡は" * 20 + "bob@example.comへ", "ご連絡は" * 20 + "[email]へ"),
        ("ja", "宛先 用户@例子.广告 です", "宛先 [email] です"),
        ("en", "de89370400440532013000", "[iban]"),
        ("en", "pay to DE89-3704-0044-0532-0130-00 now", "pay to [iban] now"),
        ("en", "ok 12, gb82 west 1234 5698 7654 32 and more", "ok 12, [iban] and more"),
        ("en", "AB12 CDEF DE89 3704 0044 0532\n0130 00", "AB12 CDEF [iban]"),
        ("vi", "số mình là 84912345678", "số mình là [phone]"),
        ("en", "84912345678", "[phone]"),
        ("ko", "821012345678 로요", "[phone] 로요"),
        ("ja", "819012345678まで", "[phone]まで"),
        ("vi", "gọi 0912/345/678 hoặc 0912,345,679", "gọi [phone] hoặc [phone]"),
        ("vi", "0912_345_678 nhé", "[phone] nhé"),
        ("vi", "điện thoại đặt đơn hàng 0912345678", "điện thoại đặt đơn hàng [phone]"),
        ("en", "for my order, 0912 345 678 is best", "for my order, [phone] is best"),
        ("ko", "010/1234/5678", "[phone]"),
        ("ja", "090·1234·5678", "[phone]"),
    ],
)
def test_personal_data_is_blanked_out_where_the_policy_says_so_and_only_there(lang: str, text: str, kept: str) -> None:
    assert screened(text, PERSONAL, lang).kept == kept
    assert screened(text, (), lang).kept == text
    assert screened(text, PERSONAL, lang).open == text
    assert screened(kept, PERSONAL, lang).redacted == ()
    refuse_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "order 4155326000 of 2026-07-01",
        "invoice 0-0000-0000",
        "GB00 WEST 1234 5698 7654 32",
        "123456-9999999 and 991399-1234567",
        "9001011234567 and 1234 5678 9012",
        "666-12-3456",
        "0.912345678, 1/415/555/2671, 10.30-11.30",
        "@home or me@ and @you",
        "+000 123 4567",
        "order 84912345678, mã đơn hàng 84912345678, 주문번호 821012345678, 注文番号 819012345678",
        "mã đơn 0912345678, đơn hàng số 0912 345 678, room 0123-456-789",
        "주문번호는 01012345678, 注文番号は0901234567、口座 0901234567",
        "3@2.50 each, logo@2x.png",
        "call me on 03/10/2026 or 10/03/2026, phone bill 1,200,000",
        "my number is 01, 02, 03, 04, 05, 06, 07",
        "phone model WH-1000XM5, flight VN84912345",
        "giá 0,5 triệu, 12/24/36 tháng, số 10,20,30,40",
        "DE89 3704 0044 0532 0130 01 and ab12 cdef 3456 ghij",
    ],
)
def test_what_only_looks_personal_stays(text: str) -> None:
    assert screened(text, PERSONAL).kept == text


def test_only_the_kinds_asked_for_go_and_each_is_counted() -> None:
    text = "mail a@b.co or c@d.co, call 010-1234-5678, password: swordfish"
    found = screened(text, ("email",), "ko")
    assert found.open == "mail a@b.co or c@d.co, call 010-1234-5678, password: [password]"
    assert found.kept == "mail [email] or [email], call 010-1234-5678, password: [password]"
    assert found.redacted == (Redacted(kind="email", count=2), Redacted(kind="password", count=1))


def test_a_refusal_names_the_kind_and_nothing_of_the_secret() -> None:
    with pytest.raises(Denied) as refused:
        refuse_secrets("fine", "my card number is 4111 1111 1111 1111")
    assert "card number" in str(refused.value)
    assert "4111" not in str(refused.value)


@pytest.mark.parametrize(
    "name",
    (
        "password api_key apikey cvv cvc2 pin card_pin pin_code wifi_password client_secret "
        "access_token token otp seed_phrase mnemonic security_code credit_card_number card_no 비밀번호 비번 "
        "보안코드 카드번호 인증번호 mật_khẩu mat_khau mã_pin mã_otp khóa_api số_thẻ "
        "パスワード 暗証番号 セキュリティコード カード番号 秘密鍵 "
        "раssword pass\u200bword"
    ).split(),
)
def test_a_name_that_only_a_secret_would_have_is_known(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize(
    "name",
    (
        "passport passenger compass spinning pinterest_board opinion keyword turkey monkey secret_santa "
        "lucky_number token_ring_fan card_game loyalty_card số_thẻ_thành_viên 번호 암호화폐_관심 鍵盤楽器 zip_code "
        "favourite_colour"
    ).split(),
)
def test_a_name_that_only_sounds_like_one_is_let_be(name: str) -> None:
    assert not names_a_secret(name)


def test_letters_stand_for_themselves_wherever_they_were_cut() -> None:
    plain = Plain.of("x\u200b\u200bđỏ４\u0301")
    assert plain.text == "xdo4"
    assert list(plain.places([Found(0, 1, "a"), Found(1, 2, "b"), Found(3, 4, "c")])) == [
        Found(0, 1, "a"),
        Found(3, 4, "b"),
        Found(5, 6, "c"),
    ]


def test_what_patterns_take_for_a_latin_letter_is_one_to_the_hints() -> None:
    """Regardless of case they do so with four letters that are not ASCII."""
    everything = "".join(map(chr, (*range(0x80, 0xD800), *range(0xE000, sys.maxunicode + 1))))
    alike = re.findall("[a-z]", everything, re.IGNORECASE)
    assert sorted(alike) == ["İ", "ı", "ſ", "\u212a"]
    assert all(Plain.of(letter).lower.isascii() for letter in alike)
    assert without_secrets("my pın is 4831") == "my pın is [pin]"


def test_a_hint_that_a_pattern_does_without_would_hide_what_it_finds() -> None:
    rule = Rule.of("pin", "pin", r"code (?P<v>\d+)")
    assert list(rule.found(Plain.of("code 1234"))) == []
    assert list(rule.found(Plain.of("pin code 1234"))) == [Found(9, 13, "pin")]


HOSTILE = (
    "password ",
    "token-",
    "4 ",
    "a",
    "://",
    "seed phrase is ",
    "-----BEGIN PRIVATE KEY-----",
    "1 2 ",
    "@a.",
    "pin ",
    "x: ",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_is_long_enough_to_hold_the_hub_up(piece: str) -> None:
    """A pattern that looks again from every place would take minutes over these."""
    text = "password key://" + piece * (20_000 // len(piece))
    kept = screened(text, PERSONAL).kept
    assert screened(kept, PERSONAL).kept == kept


def test_noise_around_a_secret_saves_nothing_of_it() -> None:
    dice = random.Random(11)
    pieces = (
        "4111 1111 1111 1111",
        "hello",
        "비번 1q2w3e4r",
        "...",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "価格 30,000円",
    )
    for _ in range(300):
        text = " ".join(dice.choice(pieces) for _ in range(dice.randrange(1, 8)))
        kept = without_secrets(text)
        assert not any(secret in kept for secret in ("4111", "1q2w3e4r", "ghp_"))
        assert kept.count("hello") == text.count("hello")
        assert without_secrets(kept) == kept
