"""What a config in the format of speculators says of a drafter apart from its layers. No MLX."""

from __future__ import annotations

from engine.models.drafting.fields import MOST_PARTS, Fields


def proposed_tokens(fields: Fields) -> int:
    """Tokens that a drafter proposes at once by its usual method, 0 where nothing says so; raises DrafterError."""
    section = fields.section("speculators_config")
    methods = section.values.get("proposal_methods") or []
    if not isinstance(methods, list) or not all(isinstance(method, dict) for method in methods):
        raise section.fault("proposal_methods", "a list of objects")
    usual = section.values.get("default_proposal_method")
    methods = [method for method in methods if method.get("proposal_type") == usual] or methods
    return Fields(methods[0]).optional_number("speculative_tokens", most=MOST_PARTS) if methods else 0
