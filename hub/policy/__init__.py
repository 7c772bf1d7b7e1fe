"""Casbin -> clearance: which labels a subject may act on, for which purpose, and which line says so."""

from hub.policy.rules import AGENT, HELD_BY_THEMSELVES, ROLES, Act, Subject
from hub.policy.tables import Failure, check_tables
from hub.policy.verdicts import Clearance, Decision, Policy, load_folder

__all__ = [
    "AGENT",
    "HELD_BY_THEMSELVES",
    "ROLES",
    "Act",
    "Clearance",
    "Decision",
    "Failure",
    "Policy",
    "Subject",
    "check_tables",
    "load_folder",
]
