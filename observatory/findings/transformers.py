"""For findings: the published classes of transformers on recorded cases of text.

Names families: a finding is about the models that show it.
"""

from __future__ import annotations

import numpy as np

from ..observe.mlx_lm import prompts
from .ask import FIXTURES, ask, bound, edited, golden, off, published, shows, truth


@shows
def transformers_dynamic_table() -> float:
    """transformers: a dynamic NTK table that is left over from an earlier call."""
    recorded = golden("llama/dynamic/long")
    tokens = prompts(recorded)[0]
    model = published(FIXTURES / "llama/dynamic/model")
    off("20 tokens, first call", ask(model, tokens), truth(recorded), bound(recorded))
    alone = ask(published(FIXTURES / "llama/dynamic/model"), tokens[:16])
    ask(model, tokens + tokens[:6])
    return max(off("20 tokens, after a call with 26", ask(model, tokens), truth(recorded),
                   bound(recorded)),
               off("16 tokens, the limit, after a call with 26", ask(model, tokens[:16]), alone,
                   bound(recorded)))


@shows
def transformers_rope_cache() -> float:
    """transformers: cached decode across the length at which dynamic or longrope changes."""
    import torch
    worst = 0.0
    for variant in ("llama/dynamic", "phi3/longrope"):
        recorded = golden(f"{variant}/crossing")
        model = published(FIXTURES / variant / "model")
        out = model(torch.tensor([prompts(recorded)[0]]), use_cache=True)
        for step, token in enumerate(recorded["/input/decode"][0].tolist()):
            out = model(torch.tensor([[token]]), past_key_values=out.past_key_values,
                        use_cache=True)
            worst = max(off(f"{variant}, decode step {step}", out.logits[0, -1].numpy(),
                            recorded["/expect/truth/decode"][0, step], bound(recorded)), worst)
    return worst


@shows
def transformers_rope_batch() -> float:
    """transformers: a short prompt in a left-padded batch with a long one, dynamic or longrope."""
    import torch
    worst = 0.0
    for variant in ("llama/dynamic", "phi3/longrope"):
        cases = [golden(f"{variant}/{name}") for name in ("single", "long")]
        rows = [prompts(case)[0] for case in cases]
        longest = max(map(len, rows))
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
        out = published(FIXTURES / variant / "model")(
            torch.tensor([[0] * (longest - len(row)) + row for row in rows]), attention_mask=mask,
            position_ids=(mask.cumsum(-1) - 1).clamp(min=0), use_cache=False).logits.numpy()
        for case, row, logits in zip(cases, rows, out):
            worst = max(off(f"{variant}, the prompt of {len(row)}", logits[-len(row):], truth(case),
                            bound(case)), worst)
    return worst


@shows
def transformers_gemma4_shared() -> float:
    """transformers: Gemma 4 with shared KV and without per-layer inputs."""
    import torch
    import transformers
    config = transformers.Gemma4TextConfig(
        vocab_size=40, hidden_size=24, intermediate_size=20, num_hidden_layers=4, head_dim=8,
        num_attention_heads=2, num_key_value_heads=1, num_kv_shared_layers=2,
        hidden_size_per_layer_input=0, layer_types=["sliding_attention", "full_attention"] * 2)
    try:
        transformers.Gemma4ForCausalLM(config)(torch.tensor([[1, 2, 3]]))
    except Exception as error:
        print(f"  {type(error).__name__}: {error}")
        return np.inf
    return 0.0


@shows
def transformers_altup_active() -> float:
    """transformers: Gemma 3n whose active stream is not the first."""
    import torch
    recorded = golden("gemma3n/text/single")
    tokens = torch.tensor([prompts(recorded)[0]])
    with edited("gemma3n/text", lambda config: config.update(altup_active_idx=1)) as place:
        model = published(place)
    layer, kept = model.model.layers[0], []
    layer.register_forward_hook(lambda _module, _input, out: kept.append(out.clone()))
    model(tokens, use_cache=False)
    layer.post_per_layer_input_norm.weight.zero_()
    model(tokens, use_cache=False)
    changed = [bool((a != b).any()) for a, b in zip(*kept)]
    print(f"  active stream 1; per-layer inputs are added to streams "
          f"{[index for index, has in enumerate(changed) if has]}, of 0 to {len(changed) - 1}")
    return np.inf if changed[1] and not changed[0] else 0.0


@shows
def transformers_gemma3n_names() -> float:
    """transformers: the text model of Gemma 3n under the names that 4.57 and 5.2 give its tensors."""
    import torch
    from safetensors.torch import load_file, save_file
    torch.manual_seed(0)  # of the weights that stay random
    recorded = golden(case := "gemma3n/text/single")
    with edited("gemma3n/text", lambda config: None) as place:
        file = place / "model.safetensors"
        save_file({name.replace("model", "model.language_model"): tensor for name, tensor in load_file(file).items()}, file, {"format": "pt"})
        model = published(place)
    return off(case, ask(model, prompts(recorded)[0]), truth(recorded), bound(recorded))


@shows
def transformers_other_layouts() -> float:
    """transformers: checkpoints whose weights have names or shapes of other systems."""
    import torch
    torch.manual_seed(0)  # of the weights that stay random
    worst = 0.0
    for case in ("gemma4/multimodal-untied/single", "qwen3_moe/transposed/single", "qwen3_5_moe/biases/single"):
        recorded = golden(case)
        try:
            model = published(FIXTURES / case.rpartition("/")[0] / "model")
        except RuntimeError as error:
            print(f"  {case}: {type(error).__name__}: {' '.join(str(error).split())[:100]}")
            worst = np.inf
            continue
        worst = max(worst, off(case, ask(model, prompts(recorded)[0]), truth(recorded), bound(recorded)))
    return worst
