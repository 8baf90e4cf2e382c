"""Language models of the usual shapes, small, built from their configuration: no weights are fetched."""

from catalogue import program, train_once

TOKENS = (4, 64)


def step_of(make_model, precision, **inputs):
    import torch

    tokens = torch.randint(1, 500, TOKENS, device="cuda")
    model = make_model()
    train_once(model, lambda net: net(input_ids=tokens, labels=tokens, **inputs).loss, autocast=precision)


def add(name, make_model):
    for suffix, precision in (("", None), ("-bf16", "bfloat16"), ("-fp16", "float16")):

        @program(f"transformers-{name}{suffix}", needs=("transformers",))
        def run(precision=precision):
            import torch

            step_of(make_model, precision and getattr(torch, precision))


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(vocab_size=500, n_embd=128, n_layer=2, n_head=4))


def bert():
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(BertConfig(vocab_size=500, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256))


def t5():
    from transformers import T5Config, T5ForConditionalGeneration

    return T5ForConditionalGeneration(T5Config(vocab_size=500, d_model=128, d_kv=32, d_ff=256, num_layers=2, num_heads=4, decoder_start_token_id=0))


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=500, num_attention_heads=4, num_key_value_heads=2, **sizes))


def mixtral():
    from transformers import MixtralConfig, MixtralForCausalLM

    sizes = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2}
    return MixtralForCausalLM(MixtralConfig(vocab_size=500, num_attention_heads=4, num_key_value_heads=2, num_local_experts=4, **sizes))


for model in (gpt2, bert, t5, llama, mixtral):
    add(model.__name__, model)


@program("transformers-llama-padded", needs=("transformers",))
def padded():
    import torch

    mask = torch.ones(TOKENS, dtype=torch.long)
    mask[0, :10] = 0
    step_of(llama, torch.bfloat16, attention_mask=mask.cuda())


@program("transformers-llama-sampling", needs=("transformers",))
def sampling():
    """Token by token, with the cache. Not generate(): it ends by what the card computed, so on the phantom it does not."""
    import torch

    model, cache = llama().cuda().eval(), None
    tokens = torch.ones(1, 8, dtype=torch.long, device="cuda")
    with torch.no_grad():
        for _ in range(4):
            out = model(input_ids=tokens, past_key_values=cache, use_cache=True)
            tokens, cache = torch.multinomial(out.logits[:, -1].softmax(-1), 1), out.past_key_values


@program("transformers-llama-checkpointing", needs=("transformers",))
def checkpointing():
    import torch

    def make():
        model = llama()
        model.gradient_checkpointing_enable()
        return model

    step_of(make, torch.bfloat16)


@program("transformers-vit", needs=("transformers",))
def vit():
    import torch
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64)
    images = torch.randn(2, 3, 64, 64, device="cuda")
    labels = torch.zeros(2, dtype=torch.long, device="cuda")
    train_once(ViTForImageClassification(config), lambda net: net(images, labels=labels).loss)


@program("transformers-whisper", needs=("transformers",))
def whisper():
    import torch
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    sizes = {"d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4}
    config = WhisperConfig(vocab_size=500, decoder_start_token_id=1, pad_token_id=0, bos_token_id=1, eos_token_id=2, **sizes)
    sound = torch.randn(2, config.num_mel_bins, 3000, device="cuda")
    labels = torch.ones(2, 10, dtype=torch.long, device="cuda")
    train_once(WhisperForConditionalGeneration(config), lambda net: net(input_features=sound, labels=labels).loss)
