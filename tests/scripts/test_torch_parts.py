"""What several trainings need of PyTorch."""

import pytest

torch = pytest.importorskip("torch", reason="training needs .venv-train")

from scripts.torch_parts import has_fast_half, mean_states, moved


def test_the_moved_weights_lies_between_them_by_its_share() -> None:
    before = {"a": torch.tensor([0.0, 2.0]), "only before": torch.tensor([1.0])}
    after = {"a": torch.tensor([4.0, 2.0]), "only after": torch.tensor([3.0])}
    mean = moved(before, after, 0.25)
    assert {name: one.tolist() for name, one in mean.items()} == {
        "a": [1.0, 2.0],
        "only before": [1.0],
        "only after": [3.0],
    }


@pytest.mark.parametrize(("share", "like"), [(0.0, 0.0), (1.0, 4.0)])
def test_a_share_of_nothing_or_of_all_is_one_of_the_two(share: float, like: float) -> None:
    before = {"a": torch.tensor([0.0], dtype=torch.float16)}
    mean = moved(before, {"a": torch.tensor([4.0])}, share)["a"]
    assert (mean.item(), mean.dtype) == (like, torch.float16)


def test_what_is_faster_is_found_once() -> None:
    assert has_fast_half(torch.device("cpu")) is has_fast_half(torch.device("cpu"))
    assert has_fast_half(torch.device("cuda"))


def test_padding_does_not_count_in_a_mean() -> None:
    states = torch.tensor([[[1.0], [3.0], [99.0]]])
    assert mean_states(states, torch.tensor([[1, 1, 0]])).tolist() == [[2.0]]
