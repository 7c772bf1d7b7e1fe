"""Every error of the hub: category, code, what happened, what to do."""

# HubError
# ├── Incorrect   what came in is wrong: the sender mends it
# ├── Denied      the policy says no to an act (a denied *read* is Missing, never Denied)
# ├── Missing     there is no such thing, as far as this viewer may know
# ├── Conflict    right in itself, but not against what is already there
# └── Fault       ours: the hub or its surroundings are broken


class HubError(Exception):
    """One fact and one fix, with a stable code.

    `code` is part of the public contract; `message` and `fix` are for people.
    `where` names the field or item at fault, when there is one. `noted` is no part of what it says: whether the audit
    has it already.
    """

    __slots__ = ("noted",)

    def __init__(self, code: str, message: str, fix: str, *, where: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix
        self.where = where
        self.noted = False

    def __str__(self) -> str:
        return f"{self.message} ({self.code}): {self.fix}"


class Incorrect(HubError):
    """What came in is wrong; the sender can mend it."""


class Denied(HubError):
    """The policy forbids this act to this agent."""


class Missing(HubError):
    """There is no such thing, as far as this viewer may know."""


class Conflict(HubError):
    """Right in itself, but not against what is already there."""


class Fault(HubError):
    """The hub or its surroundings are broken; the sender is not to blame."""


def no_such_record() -> Missing:
    """The one answer for denied, unknown and erased ids alike."""
    return Missing("not_found", "there is no such record", "check the id, or ask an agent that may read it")


def not_yours() -> Denied:
    """For what may be read, but not acted upon."""
    message = "only the author's domain, the owner domain or an operator may do this"
    return Denied("not_yours", message, "ask one of them")
