"""Judging answers by a language model, which is audited against hand labels first."""
