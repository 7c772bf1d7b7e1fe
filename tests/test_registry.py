"""The registry: the shipped file, how claims read in four languages, promotions, and what a bad file is told."""

from __future__ import annotations

import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from hub.documents import parse
from hub.errors import Conflict, Incorrect
from hub.facts import CUSTOMER, Arbitration, Author, Cardinality, Claim, Entity, Interval, Relation, Scope, Value
from hub.registry import Promotion, Registry, checked_relation, plainly

POLICIES = Path(__file__).resolve().parent.parent / "policies"
LANGUAGES = ("en", "ko", "vi", "ja")
DAY = 86_400_000_000

CIVIC = Entity("ent_1", "car", "Honda Civic")
HEADPHONES = Entity("ent_2", "thing", "Sony WH-1000XM5")
DA_NANG = Entity("ent_3", "city", "Da Nang")
SELF = Entity(CUSTOMER, "person", "kh-001")


def shipped() -> Registry:
    return Registry.read(
        (POLICIES / "relations.yaml").read_text("utf-8"), "relations.yaml", (POLICIES / "words.yaml").read_text("utf-8")
    )


@pytest.fixture(scope="module")
def registry() -> Registry:
    return shipped()


def claim(
    relation: str,
    said: Value | Entity | None = None,
    *,
    of: Entity = SELF,
    lang: str = "en",
    negated: bool = False,
) -> Claim:
    return Claim(
        id="fact_1",
        seq=1,
        recorded_at=0,
        author=Author("mia", "personal"),
        subject=of,
        relation=relation,
        value=None if isinstance(said, Entity) else said,
        obj=said if isinstance(said, Entity) else None,
        negated=negated,
        interval=Interval(0),
        lang=lang,
        said_at=0,
    )


# --- the shipped file --------------------------------------------------------------------------------------------

PRIVATE = {
    "health": (
        "has_condition takes_medication allergic_to doctor blood_type symptom vaccinated_against accessibility_need "
        "medical_appointment"
    ),
    "finance": ("income payment_method debt bank savings_goal refund_account insurance regular_expense credit_score"),
    "repair": "fault repair_status licence_plate workshop",
    "personal": (
        "address phone email birthday works_at occupation family_member emergency_contact appointment age nationality "
        "marital_status married_to parent_of child_of sibling_of anniversary studies_at plans_to"
    ),
    "travel": "travels_with passport visa",
}
SHARED = {
    "personal": (
        "name called lives_in language time_zone has_pet diet likes dislikes owns commutes_by hobby prefers_contact "
        "free_on"
    ),
    "travel": (
        "planned_trip booking seat cabin_class home_airport prefers_hotel loyalty_programme visited flight stays_at "
        "departs_on returns_on wants_to_visit loyalty_number"
    ),
    "repair": "availability warranty_until model serial_number mileage repair_appointment",
    "finance": "budget currency",
    "shopping": (
        "order wants size shoe_size prefers_brand subscription order_status tracking_number bought_on prefers_delivery "
        "avoids_brand"
    ),
}


def test_the_shipped_relations_are_filed_as_the_table_says(registry: Registry) -> None:
    tables = ((PRIVATE, Scope.PRIVATE), (SHARED, Scope.SHARED))
    wanted = {
        name: (owner, scope) for table, scope in tables for owner, names in table.items() for name in names.split()
    }
    assert {r.name: (r.owner, r.scope) for r in registry.relations.values()} == wanted
    assert len(wanted) >= 40


def test_health_and_money_are_private_and_only_few_facts_ride_along(registry: Registry) -> None:
    for relation in registry.relations.values():
        assert relation.scope is Scope.PRIVATE or relation.sensitivity == "normal", relation.name
    assert [r.name for r in registry.relations.values() if r.core] == ["name", "diet", "availability"]


def test_the_relations_that_stories_lean_on_are_what_they_must_be(registry: Registry) -> None:
    def law(name: str) -> tuple[Cardinality, Arbitration, int | None]:
        relation = registry.of(name, "shopping")
        return relation.cardinality, relation.arbitration, relation.ttl

    assert law("lives_in") == (Cardinality.ONE, Arbitration.TRUST, None)
    assert law("planned_trip") == (Cardinality.ONE, Arbitration.LATEST, 30 * DAY)
    assert law("income") == (Cardinality.ONE, Arbitration.OWNER, None)
    assert law("availability") == (Cardinality.ONE, Arbitration.LATEST, 5 * DAY)
    assert law("likes") == law("dislikes") == (Cardinality.MANY, Arbitration.LATEST, None)
    assert registry.of("likes", "x").opposite == "dislikes"
    assert registry.of("dislikes", "x").opposite == "likes"


def test_what_identifies_a_thing_travels_and_what_could_be_stolen_by_a_change_waits_for_a_human(
    registry: Registry,
) -> None:
    for name in ("order", "model", "serial_number", "loyalty_number", "tracking_number"):
        assert registry.relations[name].scope is Scope.SHARED, name
    reviewed = [r.name for r in registry.relations.values() if r.arbitration is Arbitration.REVIEW]
    assert reviewed == ["blood_type", "refund_account"]


def test_whoever_is_a_parent_has_a_child(registry: Registry) -> None:
    ends = {r.name: r.inverse for r in registry.relations.values() if r.inverse in registry.relations}
    assert ends == {
        "married_to": "married_to",
        "parent_of": "child_of",
        "child_of": "parent_of",
        "sibling_of": "sibling_of",
    }


@pytest.mark.parametrize(
    ("relation", "said", "readings"),
    [
        ("hobby", "hiking", ("hobby: hiking", "취미: hiking", "sở thích: hiking", "趣味: hiking")),
        (
            "mileage",
            "40,000 km",
            (
                "car mileage: 40,000 km",
                "차 주행 거리: 40,000 km",
                "xe đã chạy 40,000 km",
                "車の走行距離: 40,000 km",
            ),
        ),
    ],
)
def test_the_new_relations_read_well(registry: Registry, relation: str, said: str, readings: tuple[str, ...]) -> None:
    assert tuple(registry.render(claim(relation, said, lang=lang)) for lang in LANGUAGES) == readings


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_shipped_relation_reads_in_every_language(registry: Registry, lang: str) -> None:
    for name, relation in registry.relations.items():
        assert dict(relation.labels).keys() == set(LANGUAGES), name
        text = registry.render(claim(name, "Xyz", lang=lang))
        assert "Xyz" in text
        assert "_" not in text
        own = dict(relation.templates or relation.labels)[lang]
        assert text.startswith(own.split("{")[0]), name


def test_every_list_of_words_speaks_four_languages(registry: Registry) -> None:
    for lexicon in (registry.context_words, registry.kind_words):
        for name, by_lang in lexicon.items():
            assert set(by_lang) == set(LANGUAGES), name
            assert all(by_lang.values()), name
    assert all(len(registry.common_words[lang]) >= 150 for lang in LANGUAGES)
    for kind, by_lang in registry.kind_words.items():
        assert {registry.kind_of(noun) for noun in (kind, *(n for ns in by_lang.values() for n in ns))} == {kind}


def test_every_context_is_one_that_some_relation_has(registry: Registry) -> None:
    used = {context for relation in registry.relations.values() for context in relation.contexts}
    assert used == set(registry.contexts)


def test_words_keep_the_order_of_the_file(registry: Registry) -> None:
    by_lang = parse((POLICIES / "words.yaml").read_text("utf-8"), "words.yaml")["words"]  # type: ignore[index]
    assert registry.words == tuple(dict.fromkeys(word for lang in LANGUAGES for word in by_lang[lang]))
    assert list(registry.contexts)[:2] == ["trip", "drive"]
    assert registry.kinds["car"][:2] == ("car", "automobile")
    assert {"xe", "차", "車"} < set(registry.kinds["car"])


def test_trust_and_half_lives_have_defaults(registry: Registry) -> None:
    assert registry.trust_of("travel") is registry.trust_of("nobody") is None
    assert registry.half_life("identity") is None
    assert registry.half_life("plan") == 30 * DAY
    assert registry.half_life("unheard_of") == 90 * DAY
    some = Registry.parse(minimal() | {"trust": {"travel": 0.8, "legal": 0}}, "r.yaml")
    assert (some.trust_of("travel"), some.trust_of("legal"), some.trust_of("repair")) == (0.8, 0, None)


# --- how claims read ---------------------------------------------------------------------------------------------

READS = [
    (claim("lives_in", "Hanoi"), "lives in: Hanoi"),
    (claim("likes", "spicy food"), "likes: spicy food"),
    (claim("dislikes", "spicy food"), "dislikes: spicy food"),
    (claim("planned_trip", DA_NANG), "trip to: Da Nang"),
    (claim("income", "2000 dollars"), "income: 2000 dollars"),
    (claim("diet", "ăn chay", lang="vi"), "chế độ ăn: ăn chay"),
    (claim("name", "지민", lang="ko"), "이름: 지민"),
    (claim("diet", "ベジタリアン", lang="ja"), "食生活: ベジタリアン"),
    (claim("budget", 800), "budget: 800"),
    (claim("budget", 800.0), "budget: 800"),
    (claim("budget", 800.5, of=Entity("e", "trip", "Tokyo trip")), "Tokyo trip · budget: 800.5"),
    (claim("fault", "the screen is cracked", of=CIVIC), "Honda Civic · fault: the screen is cracked"),
    (claim("lives_in", "Lyon", lang="fr"), "lives in: Lyon"),
    (claim("lives_in", "Huế", lang="vi-VN"), "sống ở: Huế"),
    (claim("availability", "3 days"), "no car for 3 days"),
    (claim("availability", "3 ngày", lang="vi"), "không có xe 3 ngày"),
    (claim("availability", "3日間", lang="ja"), "車が故障中（3日間）"),
    (claim("availability", "3일", lang="ko"), "차 사용 불가 (3일)"),
    (claim("availability", "3 days", lang="fr"), "no car for 3 days"),
    (claim("availability", "5 ngày", lang="vi", of=Entity("e", "laptop", "XPS 13")), "XPS 13 · không có laptop 5 ngày"),
    (claim("availability", "4 days", of=Entity("e", "xe", "Camry")), "Camry · no car for 4 days"),
    (claim("availability", "4 days", of=HEADPHONES), "no Sony WH-1000XM5 for 4 days"),
    (claim("availability", "{value} {kind}", of=Entity("e", "{value}", "{kind}")), "no {kind} for {value} {kind}"),
    (claim("likes", "coffee", negated=True), "not · likes: coffee"),
    (claim("likes", "cà phê", negated=True, lang="vi"), "không · thích: cà phê"),
    (claim("likes", "café", negated=True, lang="fr"), "not · likes: café"),
    (claim("availability", negated=True, of=CIVIC), "Honda Civic · not · out of use"),
    (claim("availability", "3 days", negated=True), "not · out of use: 3 days"),
    (claim("same_as", CIVIC, of=Entity("e", "car", "my car")), "my car · same as: Honda Civic"),
    (claim("same_as", CIVIC, of=Entity("e", "car", "チャリ"), lang="ja"), "チャリ · 同じもの: Honda Civic"),
    (claim("loyalty_tier", "gold"), "loyalty tier: gold"),
    (claim("好きな色", "青", lang="ja"), "好きな色: 青"),
    (claim("smoker", False), "smoker: false"),
    (claim("smoker", True, of=Entity("e", "person", "Ali")), "Ali · smoker: true"),
]


@pytest.mark.parametrize(("said", "text"), READS, ids=[text for _, text in READS])
def test_a_claim_reads_so(registry: Registry, said: Claim, text: str) -> None:
    assert registry.render(said) == text


def test_a_template_may_do_without_the_kind() -> None:
    document = minimal(text={"en": "out for {value}"})
    registry = Registry.parse(document, "r.yaml")
    assert registry.render(claim("likes", "3 days", of=HEADPHONES)) == "Sony WH-1000XM5 · out for 3 days"
    assert registry.render(claim("likes", "3 days")) == "out for 3 days"


def test_a_kind_nobody_has_a_noun_for_is_used_as_it_stands() -> None:
    registry = Registry.parse(minimal(subject_kind="boat", text={"en": "no {kind} for {value}"}), "r.yaml")
    assert registry.render(claim("likes", "3 days")) == "no boat for 3 days"


def test_a_language_without_a_noun_borrows_the_english_one() -> None:
    document = minimal(subject_kind="car", text={"en": "no {kind} for {value}", "vi": "không có {kind} {value}"})
    registry = Registry.parse(document | {"kinds": {"car": {"en": ["car"]}}}, "r.yaml")
    assert registry.render(claim("likes", "3 ngày", lang="vi")) == "không có car 3 ngày"


def test_values_read_plainly() -> None:
    assert [plainly(v) for v in (3, 3.0, 0.1, True, False, "a", None)] == ["3", "3", "0.1", "true", "false", "a", ""]


# --- provisional relations and promotions ------------------------------------------------------------------------


def test_an_unknown_relation_is_provisional_and_stays_with_its_writer(registry: Registry) -> None:
    tier = registry.of("loyalty_tier", "repair")
    assert tier == Relation(
        "loyalty_tier", "repair", Cardinality.ONE, Scope.PRIVATE, ttl=30 * DAY, memory_class="state", provisional=True
    )
    assert registry.of("loyalty_tier", "travel").owner == "travel"
    assert not registry.knows("loyalty_tier")


def test_same_as_is_built_in(registry: Registry) -> None:
    same = registry.of("same_as", "travel")
    assert (same.owner, same.cardinality, same.scope, same.ttl) == ("travel", Cardinality.MANY, Scope.PRIVATE, None)
    assert registry.knows("same_as")
    assert not same.provisional
    with pytest.raises(Conflict):
        registry.promoted("same_as", scope=Scope.SHARED)


def test_a_known_relation_belongs_to_its_owner_whoever_writes(registry: Registry) -> None:
    assert registry.of("income", "shopping") is registry.of("income", "finance")
    assert registry.knows("income")


def test_a_promotion_makes_the_relation_known_and_can_be_undone(registry: Registry) -> None:
    promoted = registry.promoted("loyalty_tier", scope=Scope.SHARED, arbitration=Arbitration.TRUST)
    tier = promoted.of("loyalty_tier", "repair")
    assert (tier.owner, tier.scope, tier.arbitration, tier.ttl) == ("repair", Scope.SHARED, Arbitration.TRUST, None)
    assert tier.cardinality is Cardinality.ONE
    assert not tier.provisional
    assert promoted.knows("loyalty_tier")
    assert promoted.render(claim("loyalty_tier", "gold")) == "loyalty tier: gold"
    assert registry.of("loyalty_tier", "repair").provisional, "the older value is untouched"
    assert promoted.demoted("loyalty_tier") == registry
    with pytest.raises(Conflict) as refused:
        registry.demoted("loyalty_tier")
    assert refused.value.code == "not_promoted"


def test_promoting_again_changes_the_promotion_and_keeps_its_place(registry: Registry) -> None:
    twice = registry.promoted("tier", scope=Scope.SHARED).promoted("colour", scope=Scope.PRIVATE)
    again = twice.promoted("tier", scope=Scope.PRIVATE, arbitration=Arbitration.OWNER, owner="shopping")
    assert [p.relation for p in again.promotions] == ["tier", "colour"]
    assert again.of("tier", "repair").owner == "shopping"
    assert again.of("tier", "repair").arbitration is Arbitration.OWNER


def test_promotions_survive_as_plain_values(registry: Registry) -> None:
    promoted = registry.promoted("tier", scope=Scope.SHARED, owner="shopping").promoted("colour", scope=Scope.PRIVATE)
    stored = [promotion.plain() for promotion in promoted.promotions]
    assert stored[0] == {"relation": "tier", "scope": "shared", "arbitration": "latest", "owner": "shopping"}
    assert shipped().with_amendments(Promotion.read(plain) for plain in stored) == promoted
    assert promoted.with_amendments([]) == registry


def test_what_the_file_knows_no_promotion_changes(registry: Registry) -> None:
    with pytest.raises(Conflict) as refused:
        registry.promoted("income", scope=Scope.SHARED)
    assert refused.value.code == "already_known"
    stale = [Promotion("income", Scope.SHARED), Promotion("same_as", Scope.SHARED), Promotion("tier", Scope.SHARED)]
    assert [p.relation for p in registry.with_amendments(stale).promotions] == ["tier"]
    assert registry.with_amendments(stale).of("income", "x").scope is Scope.PRIVATE


@pytest.mark.parametrize(
    ("plain", "code"),
    [
        ({"relation": "tier", "scope": "shared", "arbitration": "owner", "owner": None}, "owner_needed"),
        ({"relation": "tier", "scope": "global", "arbitration": "latest"}, "bad_registry"),
        ({"relation": "tier", "scope": "shared", "arbitration": "loudest"}, "bad_registry"),
        ({"relation": "tier", "scope": "shared", "arbitration": "latest", "owner": "*"}, "bad_registry"),
        ({"relation": "tier", "scope": "shared", "arbitration": "latest", "oops": "x"}, "bad_registry"),
        ({"relation": "Tier", "scope": "shared", "arbitration": "latest"}, "bad_relation"),
        (["tier"], "bad_registry"),
    ],
)
def test_a_promotion_that_makes_no_sense_is_refused(plain: object, code: str) -> None:
    with pytest.raises(Incorrect) as refused:
        Promotion.read(plain)
    assert refused.value.code == code


# --- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "lives_in", "size2", "màu_yêu_thích", "好きな色", "좋아하는_색", "x" * 64])
def test_a_relation_may_be_called_so(registry: Registry, name: str) -> None:
    assert checked_relation(name) == name
    assert registry.of(name, "repair").name == name


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("Likes", "`likes`"),
        ("favourite colour", "`favourite_colour`"),
        (" likes ", "`likes`"),
        ("ｌｉｋｅｓ", "`likes`"),
        ("2nd_name", "`nd_name`"),
        ("p, admin", "`p_admin`"),
        ("likes\n", "`likes`"),
        *((name, "another name") for name in ("*", "", "_", "7", "a" * 65 + "!", "🍜", "\x00", "\ud800")),
        *(
            (name, "another name")
            for name in ("turn", "episode", "procedure", "summary", "recall", "Turn", "ㅤ", "a\u115f")
        ),
    ],
)
def test_any_other_name_is_refused_with_a_better_one(registry: Registry, name: str, better: str) -> None:
    with pytest.raises(Incorrect) as refused:
        registry.of(name, "repair")
    assert refused.value.code == "bad_relation"
    assert better in refused.value.fix


def test_a_huge_name_makes_no_huge_complaint(registry: Registry) -> None:
    with pytest.raises(Incorrect) as refused:
        registry.of("x" * 1_000_000, "repair")
    assert len(str(refused.value)) < 300


# --- bad files ---------------------------------------------------------------------------------------------------


def minimal(**more: object) -> dict[str, Any]:
    likes = {"owner": "personal", "cardinality": "many", "class": "preference"} | more
    return {"classes": {"preference": "365d"}, "relations": {"likes": likes}}


def test_little_is_needed() -> None:
    registry = Registry.parse(minimal(), "r.yaml")
    assert registry.of("likes", "x") == Relation("likes", "personal", Cardinality.MANY, Scope.PRIVATE)
    assert registry.render(claim("likes", "tea", negated=True)) == "not · likes: tea"
    assert registry.words == ()


def test_a_registry_adds_words_to_the_shipped_ones() -> None:
    more = {"contexts": {"court": {"en": ["judge"]}}, "kinds": {"car": {"en": ["motor"]}}, "words": {"fr": ["bonjour"]}}
    registry = Registry.parse(minimal(context=["court", "trip"]) | more, "r.yaml", words_document())
    assert registry.contexts["court"] == ("judge",)
    assert registry.contexts["trip"] == ("flight", "비행기")
    assert registry.kinds["car"] == ("motor",)
    assert registry.words == ("hello", "bonjour")


def words_document() -> dict[str, Any]:
    return {
        "contexts": {"trip": {"en": ["flight", "flight"], "ko": ["비행기"]}},
        "kinds": {"car": {"en": ["car"]}, "phone": {"en": ["phone"]}},
        "words": {"en": ["hello"]},
    }


def test_durations_come_in_minutes_hours_and_days() -> None:
    for written, microseconds in (("90m", 90 * 60_000_000), ("12h", DAY // 2), ("30d", 30 * DAY)):
        assert Registry.parse(minimal(ttl=written), "r.yaml").of("likes", "x").ttl == microseconds


def pair(one: dict[str, object], two: dict[str, object]) -> dict[str, Any]:
    document = minimal(**one)
    document["relations"]["dislikes"] = minimal(**two)["relations"]["likes"]
    return document


def test_inverses_may_be_relations_that_point_back_or_mere_names() -> None:
    document = pair({"inverse": "dislikes"}, {"inverse": "likes"})
    assert Registry.parse(document, "r.yaml").of("likes", "x").inverse == "dislikes"
    assert Registry.parse(minimal(inverse="liked_by"), "r.yaml").of("likes", "x").inverse == "liked_by"


def named(name: str) -> dict[str, Any]:
    document = minimal()
    document["relations"][name] = document["relations"].pop("likes")
    return document


IN_A_RELATION = [
    ({"owner": "*"}, "no domain"),
    ({"owner": "a, b"}, "no domain"),
    ({"owner": ""}, "a text as `owner`"),
    ({"cardinality": "two"}, "no such `cardinality`"),
    ({"scope": "global"}, "no such `scope`"),
    ({"scope": "Shared"}, "no such `scope`"),
    ({"arbitration": "loudest"}, "no such `arbitration`"),
    ({"sensitivity": "very"}, "no such `sensitivity`"),
    ({"weight": 1.5}, "a `weight` that is too small or too large"),
    ({"weight": "far"}, "a number as `weight`"),
    ({"sensitivity": True}, "a text as `sensitivity`"),
    ({"ttl": "30"}, "a length of time"),
    ({"ttl": "0d"}, "a length of time"),
    ({"ttl": "999999d"}, "a length of time"),
    ({"ttl": 30}, "a text as `ttl`"),
    ({"class": "mood"}, "without a half-life"),
    ({"class": None}, "a text as `class`"),
    ({"core": "yes"}, "a yes or no as `core`"),
    ({"context": ["weather"]}, "unknown context `weather`"),
    ({"context": "trip"}, "a list of texts as `context`"),
    ({"kind": "a car"}, "no name as `kind`"),
    ({"opposite": "likes"}, "not the opposite"),
    ({"opposite": "hates"}, "not the opposite"),
    ({"label": {"vi": "thích"}}, "lacks English"),
    ({"label": {"en": ""}}, "a text as `en`"),
    ({"label": {"english": "likes"}}, "for a language"),
    ({"label": "likes"}, "not a mapping"),
    ({"text": {"en": "likes"}}, "wrong blanks"),
    ({"text": {"en": "likes {value"}}, "wrong blanks"),
    ({"text": {"en": "likes {}"}}, "wrong blanks"),
    ({"text": {"en": "likes {value.__class__}"}}, "wrong blanks"),
    ({"text": {"en": "likes {value} {value!r}"}}, "wrong blanks"),
    ({"text": {"en": "likes {value:>1000000}"}}, "wrong blanks"),
    ({"text": {"en": "likes {value} {name}"}}, "wrong blanks"),
    ({"text": {"en": "no {kind} for {value}"}}, "none for the customer"),
    ({"colour": "red"}, "unknown key `colour`"),
]
IN_THE_FILE = [
    (None, "not a mapping"),
    ([], "not a mapping"),
    ({}, "not a mapping"),
    ({"relations": {}}, "knows no relation"),
    ({"relations": None}, "not a mapping"),
    ({"relations": {"likes": None}}, "not a mapping"),
    (minimal() | {"relation": {}}, "unknown key `relation`"),
    (minimal() | {"classes": {"preference": "long"}}, "a length of time"),
    (minimal() | {"trust": {"travel": 2}}, "trusts `travel`"),
    (minimal() | {"trust": {"travel": -0.1}}, "trusts `travel`"),
    (minimal() | {"trust": {"travel": "high"}}, "a number as `travel`"),
    (minimal() | {"negation": {"vi": "không"}}, "lacks English"),
    (minimal() | {"contexts": {"trip": ["flight"]}}, "not a mapping"),
    (minimal() | {"contexts": {"trip": {"en": "flight"}}}, "a list of texts"),
    (minimal() | {"words": {"EN": ["hello"]}}, "for a language"),
    (minimal() | {"kinds": {"car": {"vi": ["xe"]}}}, "no English noun"),
    (
        minimal() | {"kinds": {"car": {"en": ["car", "ride"]}, "bus": {"en": ["Ride"]}}},
        "for two kinds, `car` and `bus`",
    ),
    (pair({"opposite": "dislikes"}, {}), "not the opposite"),
    (pair({"opposite": "dislikes"}, {"opposite": "likes", "cardinality": "one"}), "differs in `cardinality`"),
    (pair({"inverse": "dislikes"}, {}), "not the inverse"),
    *((named(name), "cannot be called so") for name in ("same_as", "turn", "Likes", "likes it", "*", "x" * 65)),
]


@pytest.mark.parametrize(("change", "what"), IN_A_RELATION, ids=[str(change) for change, _ in IN_A_RELATION])
def test_a_mistake_in_a_relation_names_the_relation(change: dict[str, object], what: str) -> None:
    with pytest.raises(Incorrect) as refused:
        Registry.parse(minimal(**change), "r.yaml")
    assert refused.value.code == "bad_registry"
    assert "r.yaml: relation `likes`" in refused.value.message
    assert what in refused.value.message
    assert refused.value.fix


@pytest.mark.parametrize(("document", "what"), IN_THE_FILE, ids=[what for _, what in IN_THE_FILE])
def test_a_mistake_in_the_file_is_refused(document: object, what: str) -> None:
    with pytest.raises(Incorrect) as refused:
        Registry.parse(document, "r.yaml")
    assert refused.value.code == "bad_registry"
    assert "r.yaml" in refused.value.message
    assert what in refused.value.message


@pytest.mark.parametrize("key", ["owner", "cardinality", "class"])
def test_what_a_relation_must_say_cannot_be_left_out(key: str) -> None:
    document = minimal()
    del document["relations"]["likes"][key]
    with pytest.raises(Incorrect) as refused:
        Registry.parse(document, "r.yaml")
    assert f"`{key}`" in refused.value.message


def test_a_mistake_in_the_words_is_refused() -> None:
    with pytest.raises(Incorrect) as refused:
        Registry.parse(minimal(), "r.yaml", words_document() | {"relations": {}})
    assert "words.yaml" in refused.value.message


def test_no_cut_of_the_shipped_file_passes_for_another_registry_unnoticed() -> None:
    """A truncated file is refused, or is a registry of the relations that it still holds whole."""
    text = (POLICIES / "relations.yaml").read_text("utf-8")
    words = (POLICIES / "words.yaml").read_text("utf-8")
    whole = shipped()
    dice = random.Random(7)
    for cut in dice.sample(range(len(text)), 60):
        try:
            part = Registry.read(text[:cut], "relations.yaml", words)
        except Incorrect:
            continue
        known = list(part.relations.values())
        assert known[:-1] == list(whole.relations.values())[: len(known) - 1]


def test_parsing_leaves_the_document_alone() -> None:
    document, words = minimal(context=["trip"]), words_document()
    before = deepcopy((document, words))
    Registry.parse(document, "r.yaml", words)
    assert (document, words) == before
