from pathlib import Path

from scripts.training.unpack_base import drop_copy


def test_the_copy_of_a_gguf_file_is_no_vocabulary(tmp_path: Path) -> None:
    """llama.cpp's converter would read it as one of SentencePiece, and fail."""
    copy = tmp_path / "tokenizer.model"
    drop_copy(tmp_path)
    for words, is_left in ((b"GGUF\x03\0\0\0", False), (b"\n\x0e\n\x05<unk>", True)):
        copy.write_bytes(words)
        drop_copy(tmp_path)
        assert copy.exists() is is_left
