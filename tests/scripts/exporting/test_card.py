from __future__ import annotations

import tomllib

from scripts.exporting.card import card_text
from scripts.exporting.findings import Findings

EMBEDDER = Findings(
    kind="embedder",
    model_type="bert",
    dims=384,
    heads=12,
    positions=512,
    has_modules=True,
    max_tokens=512,
    licence="MIT",
    pooling="cls",
    query_prefix='a "quoted" prefix für: ',
)


def test_an_embedders_card_has_its_keys_in_order() -> None:
    card = tomllib.loads(card_text(EMBEDDER, "BAAI/bge", "int8", "ab12"))
    assert list(card.items()) == [
        ("kind", "embedder"),
        ("source", "BAAI/bge"),
        ("licence", "MIT"),
        ("precision", "int8"),
        ("sha256", "ab12"),
        ("dims", 384),
        ("pooling", "cls"),
        ("normalize", True),
        ("max_tokens", 512),
        ("query_prefix", 'a "quoted" prefix für: '),
        ("passage_prefix", ""),
    ]


def test_a_cross_encoders_card_has_its_keys_in_order() -> None:
    found = Findings("cross-encoder", "xlm-roberta", 1024, 16, 512, False, max_tokens=512, licence="MIT")
    card = tomllib.loads(card_text(found, "BAAI/reranker", "fp16", "ab12"))
    assert list(card.items()) == [
        ("kind", "cross-encoder"),
        ("source", "BAAI/reranker"),
        ("licence", "MIT"),
        ("precision", "fp16"),
        ("sha256", "ab12"),
        ("max_tokens", 512),
        ("reads", False),
        ("temperature", 1.0),
        ("bias", 0.0),
    ]
