"""The policy's semantics once more, as plainly as they can be said, to judge the real one by."""

RESERVED = {"*", "owner", "told", "shared-reader", "auditor", "operator"}


def allows(lines, home, agent, owner, told, scope, relation, act, purpose):
    """Whether policy `lines`, already known to be sound, let an agent of `home` act on a label."""
    if "" in (home, agent, owner, told, relation) or home in RESERVED or home.startswith("agent:"):
        return False
    rows = [[cell.strip() for cell in line.split(",")] for line in lines.splitlines()]
    grants = [row[1:] for row in rows if row[0] == "g"]

    def has(role):
        """By name, or handed on by one that has it."""
        if role in (home, f"agent:{agent}"):
            return True
        return any(has(giver) for giver, given, over in grants if given == role and over in ("*", owner))

    def touches(role):
        match role:
            case "*":
                return True
            case "owner":
                return home == owner
            case "told":
                return home == told
            case "shared-reader":
                return home != owner and has(role)
        return has(role)

    effects = set()
    for _, role, *wanted, effect in [row for row in rows if row[0] == "p"]:
        got = (owner, scope, relation, act, purpose)
        if touches(role) and all(want in ("*", it) for want, it in zip(wanted, got, strict=True)):
            effects.add(effect)
    return effects == {"allow"}
