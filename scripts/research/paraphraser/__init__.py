"""The paraphraser: a small cross-encoder that tells an editor's answer its questions."""
