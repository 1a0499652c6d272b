"""Make `tests/inference/small_models/`: BGE's two architectures, small, with random weights.

    .venv-export/bin/python -m scripts.make_small_models

They stand in for models that nobody downloads to run tests: an embedder (BERT, first token's state, query
prefix) and a reranker (XLM-RoBERTa, one label), each exported as fp32 and as fused int8, and beside them
`reference.json`, what PyTorch says with the same weights. The same seed gives the same weights.
"""

from __future__ import annotations

import json
import shutil
import string
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.exporting.export import Order, export
from scripts.exporting.findings import Given, find
from scripts.exporting.graph import Form
from scripts.exporting.reference import PAIRS, TEXTS, reference_logits, reference_vectors

SMALL_MODELS = Path(__file__).resolve().parent.parent / "tests" / "inference" / "small_models"
FORMS = (Form("fp32"), Form("int8", optimize=True))
EMBEDDER, RERANKER = "bge-tiny-en", "bge-tiny-reranker"

MOST_TOKENS = 64
SEED = 20260901

# At the usual 0.02 every text would get nearly the same vector, and no comparison could fail.
WEIGHT_SCALE = 0.15

SHAPE = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
CHARACTERS = string.ascii_lowercase + string.digits + string.punctuation
WORDS = sorted({word for text in TEXTS for word in text.lower().split() if word.isalpha() and len(word) > 2})


def make_embedder(into: Path) -> Path:
    """A folder as BGE's embedders have on the hub: BERT, modules.json, the first token's state."""
    from transformers import BertConfig, BertModel

    tokenizer = _bert_tokenizer()
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=MOST_TOKENS, **SHAPE)
    _save(BertModel(config, add_pooling_layer=False), tokenizer, into)
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds.items())
    ]
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    _write(into / "modules.json", modules)
    _write(into / "sentence_bert_config.json", {"max_seq_length": MOST_TOKENS, "do_lower_case": True})
    _write(into / "1_Pooling" / "config.json", {"word_embedding_dimension": SHAPE["hidden_size"], **pooling})
    return into


def make_reranker(into: Path) -> Path:
    """A folder as BGE's rerankers have on the hub: XLM-RoBERTa with one label, a unigram tokenizer."""
    from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification

    tokenizer = _xlm_roberta_tokenizer()
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=MOST_TOKENS + 2,  # places are counted from the padding token's id + 1
        type_vocab_size=1,
        num_labels=1,
        **SHAPE,
    )
    _save(XLMRobertaForSequenceClassification(config), tokenizer, into)
    return into


def make_bert_reranker(into: Path) -> Path:
    """As the first cross-encoders were: BERT with one label, the pair's two halves told apart by type."""
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = _bert_tokenizer()
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=MOST_TOKENS, num_labels=1, **SHAPE)
    _save(BertForSequenceClassification(config), tokenizer, into)
    return into


def _save(model: Any, tokenizer: Any, into: Path) -> None:
    """Random weights, biases too, so that a bias which an export lost would show."""
    import torch

    generator = torch.Generator().manual_seed(SEED)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            around = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            weight.copy_(around + torch.randn(weight.shape, generator=generator) * WEIGHT_SCALE)
    model.save_pretrained(into)
    tokenizer.save_pretrained(into)
    readme = "---\nlicense: apache-2.0\n---\nRandom weights, for tests.\n"
    (into / "README.md").write_text(readme, encoding="utf-8")


def _bert_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *CHARACTERS, *(f"##{character}" for character in CHARACTERS), *WORDS]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=special[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=MOST_TOKENS)


def _xlm_roberta_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import XLMRobertaTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    scored = [(piece, 0.0) for piece in special] + [("▁", -4.0)]
    scored += [(character, -6.0) for character in CHARACTERS] + [(f"▁{word}", -8.0) for word in WORDS]
    tokenizer = Tokenizer(models.Unigram([*scored, ("<mask>", 0.0)], unk_id=3))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return XLMRobertaTokenizerFast(tokenizer_object=tokenizer, model_max_length=MOST_TOKENS)


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def references(embedder: Path, reranker: Path) -> dict[str, list[dict[str, Any]]]:
    """What PyTorch says: vectors of the texts as questions and as passages, logits of the pairs."""
    found = find(embedder, [EMBEDDER], Given())
    questions = reference_vectors(embedder, found, [found.query_prefix + text for text in TEXTS])
    passages = reference_vectors(embedder, found, [found.passage_prefix + text for text in TEXTS])
    logits = reference_logits(reranker, find(reranker, [RERANKER], Given()), PAIRS)
    return {
        "texts": [
            {"text": text, "question": _rounded(question), "passage": _rounded(passage)}
            for text, question, passage in zip(TEXTS, questions, passages, strict=True)
        ],
        "pairs": [
            {"question": question, "passage": passage, "logit": round(logit, 6)}
            for (question, passage), logit in zip(PAIRS, logits, strict=True)
        ],
    }


def _rounded(vector: Sequence[float]) -> list[float]:
    return [round(x, 6) for x in vector]


def _order(folder: Path, form: Form) -> Order:
    name = f"{folder.name}-{form.precision}"
    return Order(str(folder), SMALL_MODELS, form, name=name, source="scripts/make_small_models.py")


def main() -> None:
    """Build both folders, export each in both forms, write what PyTorch says."""
    shutil.rmtree(SMALL_MODELS, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        embedder, reranker = make_embedder(Path(scratch, EMBEDDER)), make_reranker(Path(scratch, RERANKER))
        for folder in (embedder, reranker):
            for form in FORMS:
                print(export(_order(folder, form)).agreement)
        _write(SMALL_MODELS / "reference.json", references(embedder, reranker))


if __name__ == "__main__":
    main()
