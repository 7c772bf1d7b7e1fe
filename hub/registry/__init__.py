"""What is known about relations: a frozen value that also says how a claim reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hub.documents import Fields, parse, shortened
from hub.errors import Conflict, Missing
from hub.facts import CUSTOMER, Arbitration, Cardinality, Claim, Relation, Scope, Value, folded
from hub.redaction import refuse_secret_names
from hub.registry.amendments import Amendment, Merge, Promotion, Rating, Rejection, latest, read_amendment
from hub.registry.reading import (
    BAD,
    DAY,
    EVERYBODY,
    RECORD_KINDS,
    SAME_AS,
    Lexicon,
    checked_relation,
    read_half_lives,
    read_kinds,
    read_lexicon,
    read_questions,
    read_redaction,
    read_relations,
    read_texts,
    read_trust,
    read_words,
)

__all__ = [
    "DEFAULT_TRUST",
    "SAME_AS",
    "Amendment",
    "Merge",
    "Promotion",
    "Rating",
    "Registry",
    "Rejection",
    "checked_relation",
    "kind_words",
    "plainly",
    "read_amendment",
]

DEFAULT_TRUST = 0.5

_PROVISIONAL_TTL = 30 * DAY
_DEFAULT_HALF_LIFE = 90 * DAY
_WORDS = ("contexts", "kinds", "words", "questions")
_SAME_AS_LABELS = (("en", "same as"), ("ko", "같은 것"), ("vi", "cũng là"), ("ja", "同じもの"))


@dataclass(frozen=True, kw_only=True)
class Registry:
    """Every known relation, the memory classes, the trust in each domain, and the words of the languages.

    The relations of the file come first; amendments add to them and never replace one.
    """

    relations: Mapping[str, Relation] = field(default_factory=dict)
    half_lives: Mapping[str, int | None] = field(default_factory=dict)
    trust: Mapping[str, float] = field(default_factory=dict)
    redaction: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    negation: Mapping[str, str] = field(default_factory=lambda: {"en": "not"})
    context_words: Lexicon = field(default_factory=dict)
    kind_words: Lexicon = field(default_factory=dict)
    common_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    question_words: Lexicon = field(default_factory=dict)
    amendments: tuple[Amendment, ...] = ()

    contexts: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """The words that call for a context, all languages together."""
    kinds: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """The nouns of a kind of entity, all languages together."""
    questions: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """What questions call a relation by, beside its labels, all languages together."""
    words: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Common words of all languages: a query without any of them is hardly language."""
    _labels: Mapping[tuple[str, str], str] = field(init=False, repr=False, compare=False)
    _templates: Mapping[tuple[str, str], str] = field(init=False, repr=False, compare=False)
    _kind_of: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _amended: Mapping[str, Promotion | Merge | Rejection] = field(init=False, repr=False, compare=False)
    _rated: Mapping[tuple[str, str | None], float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        labels = {(SAME_AS, lang): text for lang, text in _SAME_AS_LABELS}
        labels |= {(r.name, lang): text for r in self.relations.values() for lang, text in r.labels}
        templates = {(r.name, lang): text for r in self.relations.values() for lang, text in r.templates}
        derived = {
            "contexts": {name: _flat(by_lang) for name, by_lang in self.context_words.items()},
            "kinds": {name: _flat(by_lang) for name, by_lang in self.kind_words.items()},
            "questions": {name: _flat(by_lang) for name, by_lang in self.question_words.items()},
            "words": _flat(self.common_words),
            "_labels": labels,
            "_templates": templates,
            "_kind_of": _kind_of(self.kind_words),
            "_amended": {a.relation: a for a in self.amendments if not isinstance(a, Rating)},
            "_rated": {(a.domain, a.relation): a.score for a in self.amendments if isinstance(a, Rating)},
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @classmethod
    def read(cls, text: str, source: str, words: str = "") -> Registry:
        """The registry written in `text`, read once; `words` is the text of a word list to start from."""
        return _read(text, source, words)

    @classmethod
    def parse(cls, document: object, source: str, words: object = None) -> Registry:
        """The registry in a parsed document, which adds to the words it is given; raises `bad_registry`."""
        top = Fields.of(document, source, BAD, ("classes", "trust", "redaction", "negation", "relations", *_WORDS))
        shipped = Fields.of({} if words is None else words, "words.yaml", BAD, _WORDS)
        half_lives = read_half_lives(top)
        contexts = read_lexicon(shipped, "contexts") | read_lexicon(top, "contexts")
        relations = read_relations(top, half_lives, contexts)
        return cls(
            relations=relations,
            half_lives=half_lives,
            trust=read_trust(top),
            redaction=read_redaction(top),
            negation=dict(read_texts(top, "negation")) or {"en": "not"},
            context_words=contexts,
            kind_words=read_kinds(shipped, top),
            common_words=read_words(shipped) | read_words(top),
            question_words=read_questions(shipped, top, relations),
        )

    # --- relations ---------------------------------------------------------------------------------------------

    def knows(self, name: str) -> bool:
        """Whether `name` is more than provisional."""
        return isinstance(self._amended.get(name), Promotion) or self._stands(name)

    def is_provisional(self, name: str) -> bool:
        """Whether a label's `relation` is a name that only some writer has chosen."""
        return not self.knows(name) and name not in RECORD_KINDS

    def meant(self, name: str) -> str:
        """The name under which what is sent under this one is recorded."""
        amendment = self._amended.get(name)
        return amendment.into if isinstance(amendment, Merge) and self.knows(amendment.into) else name

    def rejects(self, name: str) -> bool:
        """Whether nothing more is recorded under the name."""
        return isinstance(self._amended.get(name), Rejection)

    def _stands(self, name: str) -> bool:
        return name in self.relations or name == SAME_AS

    def of(self, name: str, writer_domain: str) -> Relation:
        """The relation as it holds for a claim of `writer_domain`; raises `bad_relation` for what is no name."""
        known = self.relations.get(name)
        if known is not None:
            return known
        amendment = self._amended.get(name)
        if isinstance(amendment, Promotion):
            return amendment.made(writer_domain)
        return _provisional(name, writer_domain)

    # --- amendments --------------------------------------------------------------------------------------------

    @property
    def promotions(self) -> tuple[Promotion, ...]:
        return tuple(a for a in self.amendments if isinstance(a, Promotion))

    def promoted(
        self, name: str, *, scope: Scope, arbitration: Arbitration | None = None, owner: str | None = None
    ) -> Registry:
        """The registry with the provisional `name` made known; promoting again changes the promotion."""
        refuse_secret_names(name)
        named = {"relation": name, "scope": scope.value, "owner": owner}
        plain = {**named, "arbitration": (arbitration or Arbitration.LATEST).value}
        return self._with(Promotion.read(plain), name)

    def merged(self, name: str, into: str) -> Registry:
        """The registry in which the provisional `name` means a known relation."""
        refuse_secret_names(name, into)
        if not self.knows(into) or into == name:
            raise Missing(
                "unknown_relation", f"`{shortened(into)}` is no known relation", "name a known one", where="into"
            )
        return self._with(Merge.read({"relation": name, "into": into}), name)

    def rejected(self, name: str) -> Registry:
        """The registry that takes nothing more under the provisional `name`."""
        return self._with(Rejection.read({"relation": name, "rejected": "true"}), name)

    def rated(self, domain: str, score: float, relation: str | None = None) -> Registry:
        """The registry in which a domain's word counts so far, 0..1, in one relation or in all."""
        return self.with_amendments((*self.amendments, Rating(domain, relation, score)))

    def unrated(self, domain: str, relation: str | None = None) -> Registry:
        """The registry in which the domain's word counts as far as it has earned it."""
        kept = (a for a in self.amendments if not isinstance(a, Rating) or (a.domain, a.relation) != (domain, relation))
        return replace(self, amendments=tuple(kept))

    def demoted(self, name: str) -> Registry:
        """The registry in which nothing has been decided about `name`."""
        if name not in self._amended:
            raise Conflict("not_promoted", f"nothing was decided about `{shortened(name)}`", "list the relations")
        kept = (a for a in self.amendments if isinstance(a, Rating) or a.relation != name)
        return replace(self, amendments=tuple(kept))

    def with_amendments(self, amendments: Iterable[Amendment]) -> Registry:
        """The registry with exactly these amendments; where its file knows the relation, the file stands."""
        fit = tuple(a for a in latest(tuple(amendments)) if isinstance(a, Rating) or not self._stands(a.relation))
        return self if fit == self.amendments else replace(self, amendments=fit)

    def _with(self, amendment: Amendment, name: str) -> Registry:
        if self._stands(name):
            raise Conflict(
                "already_known", f"`{name}` is known to the registry already", "change it in the registry's file"
            )
        return self.with_amendments((*self.amendments, amendment))

    # --- domains, classes, kinds -------------------------------------------------------------------------------

    def trust_of(self, domain: str, relation: str | None = None) -> float | None:
        """How far an operator says that the domain's word counts, 0..1; None where nobody does."""
        for about in (relation, None):
            if (score := self._rated.get((domain, about))) is not None:
                return score
        return self.trust.get(domain)

    def redacted(self, domain: str) -> frozenset[str]:
        """The kinds of personal data that are blanked out in what the domain hears."""
        return frozenset((*self.redaction.get(EVERYBODY, ()), *self.redaction.get(domain, ())))

    def half_life(self, memory_class: str) -> int | None:
        """In microseconds; None for memories that do not fade."""
        return self.half_lives.get(memory_class, _DEFAULT_HALF_LIFE)

    def kind_of(self, word: str) -> str | None:
        """The kind of entity that a noun of any language names."""
        return self._kind_of.get(folded(word))

    # --- how a claim reads -------------------------------------------------------------------------------------

    def render(self, claim: Claim) -> str:
        """`label: value` of the customer, `Name · label: value` of anything else, in the claim's language.

        A relation's own template stands in for `label: value`; a negation never uses it.
        """
        said = claim.value if claim.obj is None else claim.obj.name
        if not isinstance(said, str):
            said = plainly(said)
        if claim.negated:
            text = self._negated(claim, said)
        elif (claim.relation, "en") in self._templates:
            return self._by_template(claim, said)
        else:
            label = self._labels.get((claim.relation, claim.lang)) or self.label(claim.relation, claim.lang)
            text = f"{label}: {said}"
        return text if claim.subject.id == CUSTOMER else f"{claim.subject.name} · {text}"

    def label(self, relation: str, lang: str) -> str:
        """The relation's words in the language, else in English, else its name."""
        return _in_language(self._labels, relation, lang) or relation.replace("_", " ")

    def _negated(self, claim: Claim, said: str) -> str:
        word = self.negation.get(_base(claim.lang)) or self.negation["en"]
        label = self.label(claim.relation, claim.lang)
        return f"{word} · {label}: {said}" if said else f"{word} · {label}"

    def _by_template(self, claim: Claim, said: str) -> str:
        template = _in_language(self._templates, claim.relation, claim.lang) or ""
        subject = claim.subject
        if subject.id == CUSTOMER:
            kind = self.relations[claim.relation].subject_kind or ""
            return template.format(kind=self.noun(kind, claim.lang) or kind, value=said)
        noun = self.noun(subject.kind, claim.lang)
        if noun is None and "{kind}" in template:  # its name says more than a kind nobody has words for
            return template.format(kind=subject.name, value=said)
        return f"{subject.name} · {template.format(kind=noun, value=said)}"

    def noun(self, kind: str, lang: str) -> str | None:
        """The noun of a language for a kind; None for a kind that nobody has words for."""
        known = self.kind_of(kind)
        if known is None:
            return None
        nouns = self.kind_words[known]
        return (nouns.get(_base(lang)) or nouns["en"])[0]


def kind_words(words: str) -> Lexicon:
    """The nouns of each kind in the text of a word list, by language."""
    return read_kinds(Fields.of(parse(words, "words.yaml"), "words.yaml", BAD, _WORDS), Fields({}, "words.yaml", BAD))


def plainly(value: Value | None) -> str:
    """A value without ornament: `800`, `2.5`, `true`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).removesuffix(".0")


def _base(lang: str) -> str:
    return lang.partition("-")[0].lower()


def _in_language(table: Mapping[tuple[str, str], str], relation: str, lang: str) -> str | None:
    return table.get((relation, lang)) or table.get((relation, _base(lang))) or table.get((relation, "en"))


def _flat(by_lang: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in by_lang.values() for word in words))


@lru_cache(maxsize=16)
def _read(text: str, source: str, words: str) -> Registry:
    return Registry.parse(parse(text, source), source, parse(words, "words.yaml"))


def _kind_of(kinds: Lexicon) -> dict[str, str]:
    return {folded(noun): kind for kind, by_lang in kinds.items() for noun in (kind, *_flat(by_lang))}


@lru_cache(maxsize=4096)
def _provisional(name: str, writer_domain: str) -> Relation:
    if name == SAME_AS:
        return Relation(name, writer_domain, memory_class="identity", labels=_SAME_AS_LABELS)
    return Relation(
        checked_relation(name),
        writer_domain,
        cardinality=Cardinality.ONE,
        ttl=_PROVISIONAL_TTL,
        memory_class="state",
        provisional=True,
    )
