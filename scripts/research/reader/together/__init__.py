"""All that the reader learns from at once, taught by a small language model: what a GPU has time for.

`pack` puts the mined examples into a folder small enough to carry to another machine; `run` trains there.
"""
