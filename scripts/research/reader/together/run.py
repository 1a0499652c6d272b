"""Train on a GPU: a teacher of relevance, what it says of each passage, and the reader that learns from both.

    python3 -m scripts.research.reader.together.run teacher --pack PACK --base MODEL.gguf \\
        --tokenizer BASE/tokenizer.json --rate 1e-4 --out OUT
    python3 -m scripts.research.reader.together.run reader --pack PACK --begin onnx_models/reader-l6-int8 \\
        --config MINILM --tokenizer MINILM/tokenizer.json --rate 1e-4 --out OUT [--marks OUT/marks.json]

The teacher is SmolLM2-135M, tuned whole; its marks are log-odds. The reader begins where the shipped one
ended. With marks half of what it learns about the order of passages is the teacher's order of them (Hinton et
al. 2015; over a list, Cao et al. 2007), the other half the right passage, as before. Both end by telling for
how many questions of the lists they put a right passage first. The same seed gives the same order.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from scripts.batching import by_length
from scripts.research.reader.batches import Batch, Pair, padded
from scripts.research.reader.claims import Claim, Verdict
from scripts.research.reader.dequantised import dequantised
from scripts.research.reader.network import Reader
from scripts.research.reader.together.decoder import Decoder
from scripts.research.reader.together.rows import BertForm, EchoForm, Packed, Rows
from scripts.research.reader.training import (
    VERDICT,
    Schedule,
    Weights,
    distilled,
    forward,
    listwise,
    loss,
    same_example,
    verdict_loss,
)
from scripts.torch_parts import has_fast_half

SEED = 20261127
SITES = 3.0  # passes over visitors' questions of sites
PASSES: Mapping[str, float] = {
    "squad-train": 1.0,
    "new-wiki": 1.0,
    "tydiqa": 2.0,
    "nq-open": 2.0,
}
FAR_AHEAD = 20.0  # log-odds of the right passage above the others
TAUGHT = 0.5  # what the teacher's order counts beside the right passage


def main() -> None:
    """The teacher or the reader."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("who", choices=("teacher", "reader"))
    for name in ("pack", "base", "tokenizer", "begin", "config", "out", "marks"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--passes", type=float, default=1.0, help="times those of PASSES")
    parser.add_argument("--of", nargs="*", default=[], help="a source's own passes, as in quennell=0.6")
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--examples", type=int, default=32)
    parser.add_argument("--negatives", type=int, default=7)
    parser.add_argument("--short", type=float, default=0.4)
    parser.add_argument("--claims", type=int, default=32, help="beside each batch")
    parser.add_argument("--most", type=int, help="steps; to try it, nothing is written then")
    parser.add_argument("--workers", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(SEED)
    args.out.mkdir(parents=True, exist_ok=True)
    packed = Packed.read(args.pack)
    tokenizer = whole_texts(args.tokenizer)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    (teach if args.who == "teacher" else learn)(args, packed, tokenizer, device)


def teach(args: argparse.Namespace, packed: Packed, tokenizer: Tokenizer, device: torch.device) -> None:
    """Tune the decoder to tell the right passage, and write down what it says of all."""
    between = tokenizer.encode("\n", add_special_tokens=False).ids[0]
    rows = Rows(packed, tokenizer, EchoForm(between, _id(tokenizer, "<|endoftext|>")))
    decoder = Decoder.of_gguf(args.base).to(device)

    def value(made: Batch, _: Sequence[tuple[int, int]], __: int) -> Tensor:
        said = torch.cat([decoder(part.ids.to(device), part.mask.to(device)) for part in made.parts]).float()
        group, positive = made.group.to(device), made.positive.to(device)
        absolute = functional.binary_cross_entropy_with_logits(said, positive)
        return listwise(said, positive, same_example(group)) + 0.5 * absolute

    _train(decoder, value, args, rows, device)
    if args.most:
        return

    def read(pairs: Sequence[Pair]) -> Tensor:
        part = padded(pairs)
        return decoder(part.ids.to(device), part.mask.to(device))

    _tell(rows, read, device, args.out / "teacher-lists.json")
    wanted = [
        (number, text)
        for number, example in enumerate(packed.examples)
        for text in {*(place[0] for place in example["positives"]), *example["negatives"]}
    ]
    pairs = [rows.whole(rows.questions[number], text) for number, text in wanted]
    marks: list[dict[int, float]] = [{} for _ in packed.examples]
    for (number, text), mark in zip(wanted, read_all(pairs, read, device), strict=True):
        marks[number][text] = round(mark, 3)
    (args.out / "marks.json").write_text(json.dumps(marks), encoding="utf-8")


def learn(args: argparse.Namespace, packed: Packed, tokenizer: Tokenizer, device: torch.device) -> None:
    """Tune the reader; its layers and heads are written in half precision, in two files."""
    rows, reader = reader_rows(packed, tokenizer), begun_reader(args.config, args.begin)
    reader.to(device)
    marks = None
    if args.marks:
        marks = [
            {int(k): v for k, v in one.items()} for one in json.loads(args.marks.read_text(encoding="utf-8"))
        ]
    claims = [Claim("", one["claim"], one["text"], Verdict(one["verdict"])) for one in packed.claims]
    tokenizer.enable_truncation(256, strategy="only_second")

    def value(made: Batch, of: Sequence[tuple[int, int]], step: int) -> Tensor:
        said = [one.float() for one in forward(reader, made, device)]
        total = loss(said, made, Weights(ranking=1.0 - TAUGHT if marks else 1.0), device)
        if marks is not None:
            total = total + TAUGHT * as_taught(said[-1].relevance, made, of, marks)
        mine = [claims[i % len(claims)] for i in range(step * args.claims, (step + 1) * args.claims)]
        return total + VERDICT * verdict_loss(reader, mine, tokenizer, 64, device) if mine else total

    read = relevance_by(reader, device)
    _tell(rows, read, device, args.out / "begin-lists.json")
    _train(reader, value, args, rows, device)
    if args.most:
        return
    _tell(rows, read, device, args.out / "reader-lists.json")
    state = {
        name: tensor.half().cpu() for name, tensor in reader.state_dict().items() if "embeddings" not in name
    }
    names = sorted(state)
    for number, half in enumerate((names[: len(names) // 2], names[len(names) // 2 :])):
        torch.save({name: state[name] for name in half}, args.out / f"reader-{number}.pt")


def whole_texts(file: Path) -> Tokenizer:
    """The tokenizer of a file, which neither pads nor cuts."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def reader_rows(packed: Packed, tokenizer: Tokenizer) -> Rows:
    """The packed texts and questions as the reader reads them."""
    return Rows(packed, tokenizer, BertForm(_id(tokenizer, "[CLS]"), _id(tokenizer, "[SEP]")))


def begun_reader(config: Path, begin: Path) -> Reader:
    """The reader as the exported model in `begin` is."""
    reader = Reader(str(config), (6,), verdicts=True, pretrained=False)
    reader.load_state_dict(dequantised(begin), strict=False)
    return reader


def relevance_by(reader: Reader, device: torch.device) -> Callable[[Sequence[Pair]], Tensor]:
    """What the reader says of pairs: log-odds that the passage answers, (pairs,)."""

    def read(pairs: Sequence[Pair]) -> Tensor:
        part = padded(pairs)
        return reader(part.ids.to(device), part.mask.to(device), part.types.to(device))[-1].relevance

    return read


def as_taught(
    said: Tensor, made: Batch, of: Sequence[tuple[int, int]], marks: Sequence[Mapping[int, float]]
) -> Tensor:
    """How far the order of answered examples' passages is from the marks', or, without a mark, from that in
    which the right one is far ahead."""
    group, positive = made.group.to(said.device), made.positive.to(said.device)
    inside = same_example(group)
    answered = (inside & positive.bool()[None, :]).any(dim=1)
    if not answered.any():
        return said.sum() * 0
    right = made.positive.tolist()
    taught = torch.tensor(
        [
            marks[number].get(text, FAR_AHEAD * is_right)
            for (number, text), is_right in zip(of, right, strict=True)
        ],
        device=said.device,
    )
    return distilled(said[answered], taught[answered], inside[answered][:, answered])


def _id(tokenizer: Tokenizer, token: str) -> int:
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ValueError(f"the tokenizer has no {token}")
    return int(found)


def _order(packed: Packed, passes: float, own: Mapping[str, float]) -> list[int]:
    """Examples' numbers in the order of learning; `own` are a source's passes in place of PASSES'."""
    rng = random.Random(SEED)
    of: dict[str, list[int]] = {}
    for number, example in enumerate(packed.examples):
        of.setdefault(example["source"], []).append(number)
    order: list[int] = []
    for source, numbers in of.items():
        whole, share = divmod(own.get(source, PASSES.get(source, SITES)) * passes, 1.0)
        for _ in range(int(whole)):
            order += rng.sample(numbers, len(numbers))
        order += rng.sample(numbers, round(len(numbers) * share))
    rng.shuffle(order)
    return order


class Steps(torch.utils.data.Dataset[Any]):  # type: ignore[misc]  # mypy does not see PyTorch
    """The batches by number, made beside the training."""

    def __init__(self, rows: Rows, order: Sequence[int], args: argparse.Namespace) -> None:
        self.rows, self.order, self.args = rows, order, args
        whole = len(order) // args.examples
        self.count: int = min(whole, args.most or whole)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, step: int) -> Any:
        mine = self.order[step * self.args.examples : (step + 1) * self.args.examples]
        return self.rows.batch(mine, self.args.negatives, self.args.short, random.Random(f"{SEED}/{step}"))


def _train(
    network: nn.Module, value: Any, args: argparse.Namespace, rows: Rows, device: torch.device
) -> None:
    """All steps, with AdamW and a linear way up and down."""
    own = {name: float(passes) for name, passes in (one.split("=") for one in args.of)}
    steps = Steps(rows, _order(rows.packed, args.passes, own), args)
    schedule = Schedule(rate=args.rate, warm_up=0.05)
    learning = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(
        learning, lr=args.rate, weight_decay=schedule.weight_decay, fused=device.type == "cuda"
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: schedule.factor(step, len(steps)))
    loaded = torch.utils.data.DataLoader(steps, batch_size=None, num_workers=args.workers)
    begun, smooth = time.monotonic(), torch.zeros((), device=device)
    network.train()
    for step, (made, of) in enumerate(loaded):
        with torch.autocast(device.type, torch.bfloat16, enabled=has_fast_half(device)):
            now = value(made, of, step)
        optimizer.zero_grad(set_to_none=True)
        now.backward()
        nn.utils.clip_grad_norm_(learning, schedule.clip)
        optimizer.step()
        scheduler.step()
        smooth = now.detach() if step == 0 else 0.98 * smooth + 0.02 * now.detach()
        if step % 100 == 99 or step + 1 == len(steps):
            took = time.monotonic() - begun
            gib = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0.0
            print(
                f"{args.who} {step + 1}/{len(steps)} loss {float(smooth):.3f} {took:.0f} s {gib:.1f} GiB",
                flush=True,
            )


def read_all(pairs: Sequence[Pair], read: Any, device: torch.device, rows: int = 512) -> Iterator[float]:
    """What a network says of pairs, in their order; those of like length are read together."""
    said: dict[int, float] = {}
    for some in by_length([len(pair.ids) for pair in pairs], rows):
        with (
            torch.inference_mode(),
            torch.autocast(device.type, torch.bfloat16, enabled=has_fast_half(device)),
        ):
            said |= dict(zip(some, read([pairs[j] for j in some]).float().tolist(), strict=True))
    return (said[i] for i in range(len(pairs)))


def _tell(rows: Rows, read: Any, device: torch.device, file: Path) -> None:
    """For how many questions of the lists a right passage comes first, by source; the marks to a file."""
    lists = rows.packed.lists
    pairs = [
        rows.whole(question, text)
        for question, one in zip(rows.listed, lists, strict=True)
        for text in one["texts"]
    ]
    said = read_all(pairs, read, device)
    marks = [[round(next(said), 3) for _ in one["texts"]] for one in lists]
    file.write_text(json.dumps(marks), encoding="utf-8")
    first: dict[str, list[bool]] = {}
    for one, own in zip(lists, marks, strict=True):
        for source in (one["source"], "all"):
            first.setdefault(source, []).append(one["right"][own.index(max(own))])
    print(file.stem, {source: round(sum(some) / len(some), 3) for source, some in first.items()}, flush=True)


if __name__ == "__main__":
    main()
