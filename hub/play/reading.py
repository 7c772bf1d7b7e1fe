"""Stories read strictly from YAML or JSON files: what is unknown or malformed is refused by file, step and fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from hub.documents import Fields, parse, places, shortened
from hub.errors import HubError, Incorrect
from hub.facts import Instant, Status
from hub.moments import duration, instant
from hub.play.forms import BARE, FORMS, Form
from hub.play.story import OPERATORS, Category, Expect, Lang, Pairs, Step, Story, Verb, Wanted, Wants
from hub.requests import checked

CAST = {
    "mia": "personal",
    "kai": "repair",
    "atlas": "travel",
    "sage": "health",
    "penny": "finance",
    "nova": "shopping",
}
"""The agents of every story; a story may bring more."""

START = instant("2026-07-01T09:00:00Z")
SUFFIXES = (".yaml", ".yml", ".json")

LARGEST = 1_000_000
"""Bytes of a story's file."""

_CODE = "bad_story"
_STORY = ("id", "category", "lang", "description", "agents", "policy", "start", "requires", "steps")
_AROUND = ("agent", "as", "of", "expect")
_EXPECT = (
    *("remembers", "absent", "stale", "private", "conflict", "empty", "order"),
    *("valid_from", "valid_to", "status", "via", "error"),
)
_ALIASES = {"asOf": "as_of"}


def load(path: Path | str) -> list[Story]:
    """The story of a file, or those of a folder and all below it, ordered by path.

    Raises Incorrect `bad_story` or `bad_document`, saying which file, which step, and how to mend it.
    """
    stories = [_story_in(file) for file in files_of(path)]
    first: dict[str, Story] = {}
    for story in stories:
        other = first.setdefault(story.id, story)
        if other is not story:
            raise _bad(story.source, f"has the id `{story.id}` of {other.source}", "give each story its own id")
    return stories


def read_story(text: str, source: str, folder: Path | None = None) -> Story:
    """The story written in `text`; a policy it names is looked for below `folder`."""
    read = parse(text, source)
    where = places(text)
    fields = Fields.of(read, source, _CODE, _STORY, where.keys)
    own = _agents(fields)
    agents = {**CAST, **{name: domain for name, (domain, _) in own.items()}}
    return Story(
        id=fields.text("id"),
        category=fields.choice("category", Category),
        lang=fields.choice("lang", Lang) if fields.has("lang") else Lang.EN,
        description=fields.text("description") if fields.has("description") else "",
        agents=agents,
        purposes={name: purposes for name, (_, purposes) in own.items() if purposes},
        policy=_policy(fields, folder),
        start=_start(fields),
        requires=_requires(fields),
        steps=tuple(_steps(fields, agents, where.items.get("steps", ()))),
        source=source,
    )


def files_of(path: Path | str) -> list[Path]:
    """The file itself, or those of a folder and all below it that may hold a story; there is at least one."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    if not files:
        raise _bad(str(path), "holds no story", f"name a folder with files that end in {', '.join(SUFFIXES)}")
    return files


def _story_in(file: Path) -> Story:
    try:
        if file.stat().st_size > LARGEST:
            raise _bad(str(file), f"is larger than {LARGEST:,} bytes", "tell several stories, each in its own file")
        text = file.read_bytes().decode()
    except OSError as error:
        raise _bad(str(file), f"cannot be read: {error.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise _bad(str(file), "is not UTF-8", "save it as UTF-8") from None
    return read_story(text, str(file), file.parent)


def _bad(where: str, what: str, fix: str) -> Incorrect:
    return Incorrect(_CODE, f"{where} {what}", fix, where=where)


# --- the head ----------------------------------------------------------------------------------------------------


def _agents(fields: Fields) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The domain and the purposes of each agent that the story names."""
    given = fields.part("agents")
    for name in OPERATORS:
        if given.has(name):
            raise given.wrong(f"names `{name}`, which stands for a role here", "call the agent something else")
    agents = {name: _home(given, name) for name in given.values}
    for name in agents.keys() & CAST.keys():
        if agents[name] != (CAST[name], ()):
            what = f"changes `{name}`, who is at home in `{CAST[name]}` and comes as it is"
            raise given.wrong(what, "call the agent something else")
    return agents


def _home(agents: Fields, name: str) -> tuple[str, tuple[str, ...]]:
    """A domain, or `{domain: …, purposes: […]}`."""
    if not isinstance(agents.values[name], Mapping):
        return agents.text(name), ()
    agent = agents.part(name, ("domain", "purposes"))
    return agent.text("domain"), agent.texts("purposes")


def _policy(fields: Fields, folder: Path | None) -> Path | None:
    if not fields.has("policy"):
        return None
    path = (folder or Path()) / fields.text("policy")
    if not path.is_dir():
        raise fields.wrong(
            f"names the policy `{path}`, which is no folder", "name one, relative to the story's file", "policy"
        )
    return path


def _start(fields: Fields) -> Instant:
    if not fields.has("start"):
        return START
    try:
        return instant(fields.text("start"))
    except Incorrect as error:
        raise fields.wrong(f"has no usable `start`: {error.message}", error.fix, "start") from None


def _requires(fields: Fields) -> str | None:
    requires = fields.values.get("requires")
    if requires not in (None, "llm"):
        raise fields.wrong("requires what no player has", "write `requires: llm`, or leave it out", "requires")
    return None if requires is None else "llm"


# --- the steps ---------------------------------------------------------------------------------------------------


def _steps(fields: Fields, agents: Mapping[str, str], lines: Sequence[int]) -> Iterator[Step]:
    written = fields.values.get("steps")
    if not isinstance(written, list) or not written:
        raise fields.wrong("has no steps", "write a list under `steps:`", "steps")
    for number, (item, line) in enumerate(zip_longest(written, lines), 1):
        at = fields.name if line is None else f"{fields.name}, line {line}"
        yield _step(number, Fields.of(item, f"{at}, step {number}", _CODE), agents)


def _step(number: int, fields: Fields, agents: Mapping[str, str]) -> Step:
    verb = _verb(fields)
    form = FORMS[verb]
    arguments = _checked(fields, verb, form, _arguments(fields, verb, form))
    names = _names(fields, form)
    _check_named(fields, names, arguments)
    return Step(
        number=number,
        where=fields.name,
        verb=verb,
        agent=_agent(fields, form, agents),
        arguments=arguments,
        names=names,
        of=_of(fields, form),
        expect=_expect(fields, verb),
    )


def _verb(fields: Fields) -> Verb:
    found = [verb for verb in Verb if fields.has(verb)]
    if len(found) == 1:
        return found[0]
    if found:
        raise fields.wrong(f"has the verbs {', '.join(f'`{verb}`' for verb in found)}", "write one step for each")
    raise fields.wrong(
        f"has no verb among {', '.join(f'`{shortened(key)}`' for key in fields.values) or 'its keys'}",
        f"use one of {', '.join(Verb)}",
    )


def _agent(fields: Fields, form: Form, agents: Mapping[str, str]) -> str | None:
    if not fields.has("agent"):
        if form.spoken:
            raise fields.wrong("does not say which `agent` acts", "write `agent: mia`")
        return None
    agent = fields.text("agent")
    if agent not in agents and agent not in OPERATORS:
        raise fields.wrong(f"has an agent `{shortened(agent)}` nobody knows", "add it under `agents:` with its domain")
    return agent


def _names(fields: Fields, form: Form) -> tuple[str, ...]:
    if not fields.has("as"):
        return ()
    if not form.named:
        raise fields.wrong("gives a name with `as`, but records nothing", "leave `as` out")
    return fields.texts("as") if isinstance(fields.values["as"], list) else (fields.text("as"),)


def _check_named(fields: Fields, names: tuple[str, ...], arguments: Mapping[str, object]) -> None:
    """A message without facts has a name for itself; one with facts has names for those."""
    facts = arguments.get("facts")
    recorded = max(len(facts), 1) if isinstance(facts, list) else 1
    if names and len(names) != recorded:
        raise fields.wrong(
            f"gives {len(names)} names to {recorded} records", "give as many names as facts: `as: [a, b]`"
        )


def _of(fields: Fields, form: Form) -> str | None:
    if fields.has("of") and form.of is False:
        raise fields.wrong("has an `of`, but acts upon no record", "leave `of` out")
    if form.of and not fields.has("of"):
        raise fields.wrong("does not say what it acts upon", "write `of:` with a name given by `as`, or a text")
    return fields.text("of") if fields.has("of") else None


# --- the arguments of a verb -------------------------------------------------------------------------------------


def _arguments(fields: Fields, verb: Verb, form: Form) -> dict[str, object]:
    """Those written under the verb, and those written beside it."""
    within = _within(fields, verb, form)
    beside = {key: value for key, value in fields.values.items() if key not in (verb, *_AROUND)}
    given = [(_ALIASES.get(key, key), value) for key, value in chain(within.items(), beside.items())]
    arguments = dict(given)
    if len(arguments) < len(given):
        raise fields.wrong("gives an argument twice", "keep one of the two")
    for key in arguments:
        if key not in form.keys:
            allowed = ", ".join(f"`{name}`" for name in (*form.keys, *_beside(verb, form)))
            raise fields.wrong(f"has an unknown key `{shortened(key)}`", f"use only {allowed}")
    return arguments


def _beside(verb: Verb, form: Form) -> Iterator[str]:
    """What may stand beside the verb, of all that any step may have there."""
    if form.spoken:
        yield "agent"
    if form.named:
        yield "as"
    if form.of is not False:
        yield "of"
    if verb not in BARE:
        yield "expect"


def _within(fields: Fields, verb: Verb, form: Form) -> Mapping[str, object]:
    value = fields.values[verb]
    if isinstance(value, dict):
        return _existing_too(value) if verb is Verb.PROMOTE else value
    if value in (None, True) and (form.short is None or form.bare or not form.built):
        return {}
    if form.short is None or isinstance(value, list | bool) or value is None:
        raise fields.wrong(f"has {_kind(value)} under `{verb}`", f"write {_usage(verb, form)}")
    return {form.short: value}


def _existing_too(value: dict[str, object]) -> dict[str, object]:
    """Stories written for another player say `policy`, and mean what is stored already as well."""
    if "policy" not in value:
        return value
    rest = {key: item for key, item in value.items() if key != "policy"}
    return {"existing": True, **rest, "arbitration": value["policy"]}


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else "a bare value" if value is not None else "nothing"


def _usage(verb: Verb, form: Form) -> str:
    keys = ", ".join(f"{key}: …" for key in form.keys[:3])
    return f"`{verb}: …` with a text" if form.short else f"`{verb}: {{{keys}}}`" if keys else f"`{verb}: true`"


def _checked(fields: Fields, verb: Verb, form: Form, arguments: dict[str, object]) -> dict[str, object]:
    """The arguments as they were, once the verb's own request takes them."""
    try:
        _proven(verb, form, arguments)
    except HubError as error:
        raise fields.wrong(f"cannot be played: {error.message}", error.fix) from None
    return arguments


def _proven(verb: Verb, form: Form, arguments: Mapping[str, object]) -> None:
    match verb:
        case Verb.ADVANCE:
            duration(str(arguments["length"]))
        case Verb.POLICY:
            inner = Fields.of(dict(arguments), "`policy`", _CODE)
            if not inner.texts("add") + inner.texts("remove"):
                raise inner.wrong("adds and removes nothing", 'write `policy: {add: ["p, …"]}`')
        case Verb.MARK | Verb.BELIEFS | Verb.PROMOTE:
            Fields.of(dict(arguments), f"`{verb}`", _CODE).text(_NEEDED[verb])
    if form.model is not None:
        known = {key: value for key, value in arguments.items() if key in form.model.model_fields}
        filled = {name: "any" for name in ("customer", "reason") if name in form.model.model_fields}
        checked(form.model, filled | known)


_NEEDED = {Verb.MARK: "name", Verb.BELIEFS: "agent", Verb.PROMOTE: "relation"}


# --- what is expected --------------------------------------------------------------------------------------------


def _expect(fields: Fields, verb: Verb) -> Expect:
    if not fields.has("expect"):
        return Expect()
    if verb in BARE:
        raise fields.wrong(f"expects something of `{verb}`, which answers nothing", "move it to a step that asks")
    expect = fields.part("expect", _EXPECT)
    return Expect(
        remembers=_wants(expect, "remembers"),
        absent=_wants(expect, "absent") + _wants(expect, "stale"),
        private=_wants(expect, "private"),
        conflict=_wants(expect, "conflict"),
        empty=expect.flag("empty") if expect.has("empty") else None,
        order=_wants(expect, "order"),
        valid_from=_pairs(expect, "valid_from"),
        valid_to=_pairs(expect, "valid_to"),
        status=_statuses(expect),
        via=_pairs(expect, "via"),
        error=expect.text("error") if expect.has("error") else None,
    )


def _wants(fields: Fields, key: str) -> Wants:
    value = fields.values.get(key, [])
    if not isinstance(value, list):
        raise fields.wrong(f"needs a list as `{key}`", f"write `{key}: [one, two]`")
    return tuple(_wanted(fields, key, item) for item in value)


def _wanted(fields: Fields, key: str, item: object) -> Wanted:
    text = str(item) if isinstance(item, int) and not isinstance(item, bool) else item
    if not isinstance(text, str) or not text.strip():
        raise fields.wrong(f"has something that is no text in `{key}`", "write texts, in quotes if need be")
    try:
        return Wanted.read(text)
    except ValueError as error:
        raise fields.wrong(f"has a `{key}` that cannot be matched: {error}", "mend the pattern") from None


def _statuses(fields: Fields) -> Pairs:
    pairs = _pairs(fields, "status")
    for wanted, value in pairs:
        if value not in (None, *Status):
            raise fields.wrong(f"has a `status` of `{wanted}` that no memory has", f"use one of {', '.join(Status)}")
    return pairs


def _pairs(fields: Fields, key: str) -> Pairs:
    return tuple(_picked(fields, key, text, value) for text, value in fields.part(key).values.items())


def _picked(fields: Fields, key: str, text: str, value: object) -> tuple[Wanted, str | None]:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and not isinstance(value, str):
        raise fields.wrong(f"has a `{key}` of `{shortened(text)}` that is no text", f"write `{key}: {{text: value}}`")
    return _wanted(fields, key, text), value
