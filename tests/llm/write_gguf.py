"""A tiny GGUF model that says one thing, whatever it is asked. Run by the Python that has llama.cpp:

python tests/llm/write_gguf.py FILE FIRST… [--again]

It is a llama of one layer whose attention and feed-forward add nothing, so that what it says next depends on
the last token alone: the embedding of a token is a unit vector of its own, and the output matrix leads from
each to its successor. The prompt's last character, a colon, leads to the first of the given words; the last
word leads to the end, or with `--again` back to the first.
"""

from __future__ import annotations

import sys

import numpy as np
from gguf import GGUFWriter, TokenType

TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
END = SPECIAL.index("</s>")
DIMS, HEADS, HIDDEN, CONTEXT = 320, 4, 32, 8192


def main(path: str, words: list[str], again: bool) -> None:
    """Write the file. A space in a word is written as it is; the vocabulary has a mark for it."""
    tokens = [*SPECIAL, *BYTES, "▁", *(word.replace(" ", "▁") for word in words)]
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(DIMS)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_rope_dimension_count(DIMS // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    write_tokenizer(writer, tokens)
    for name, weights in tensors(tokens, successors(tokens, len(words), again)):
        writer.add_tensor(name, weights.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_tokenizer(writer: GGUFWriter, tokens: list[str]) -> None:
    """A SentencePiece vocabulary: whatever is no token is its bytes."""
    kinds = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL]
    kinds += [TokenType.BYTE] * len(BYTES)
    kinds += [TokenType.NORMAL] * (len(tokens) - len(kinds))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(END)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)


def successors(tokens: list[str], words: int, again: bool) -> dict[int, int]:
    """Token → the token that follows it."""
    first, last = len(tokens) - words, len(tokens) - 1
    chain = {token: token + 1 for token in range(first, last)}
    return chain | {last: first if again else END, tokens.index("<0x3A>"): first}


def tensors(tokens: list[str], follows: dict[int, int]) -> list[tuple[str, np.ndarray]]:
    """The weights by name; a matrix has a row for each output."""
    nothing = np.zeros((DIMS, DIMS))
    output = np.zeros((len(tokens), DIMS))
    for token, successor in follows.items():
        output[successor, token] = 1.0
    block = {
        "attn_norm": np.ones(DIMS),
        "attn_q": nothing,
        "attn_k": nothing,
        "attn_v": nothing,
        "attn_output": nothing,
        "ffn_norm": np.ones(DIMS),
        "ffn_gate": np.zeros((HIDDEN, DIMS)),
        "ffn_up": np.zeros((HIDDEN, DIMS)),
        "ffn_down": np.zeros((DIMS, HIDDEN)),
    }
    ends = {
        "token_embd.weight": np.eye(len(tokens), DIMS),
        "output_norm.weight": np.ones(DIMS),
        "output.weight": output,
    }
    return [*ends.items(), *((f"blk.0.{name}.weight", weights) for name, weights in block.items())]


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[2:] if argument != "--again"]
    main(sys.argv[1], arguments, again="--again" in sys.argv)
