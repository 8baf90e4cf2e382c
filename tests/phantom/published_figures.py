#!/usr/bin/env python3
"""Figures that others measured on GPUs and published with their programs, beside what the phantom of those GPUs predicts.

  published_figures.py --tidemark build/bin/tidemark [--torchtitan DIR] [--book DIR] [--python PYTHON] [PATTERN ...]

DIR is a clone, with its history, of
  github.com/pytorch/torchtitan: its benchmarks of the end of 2024 tell what Llama 3.1 8B reserves on each of 8 or 128 H100
  of 96 GB (benchmarks/llama3_h100_202412_torchtitan.md, table 1 and 3), with PyTorch's nightly builds of then, before 2.6
  github.com/rasbt/LLMs-from-scratch, the code of "Build a Large Language Model (From Scratch)" (S. Raschka, 2024): its
  README files tell what an A100 had, of the training with PyTorch 2.6

Each program is taken as it stood when its figure was published, and runs with the torch of PYTHON. Weights are untrained, and
texts, their tokens and plots are stand-ins: none of these takes more or less memory. How many tokens the book's prompts have
is known but for one or two, which moves the last digit published.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

STAND_INS = {
    "tiktoken/__init__.py": "class Encoding:\n    eot_token, n_vocab = 50256, 50257\n    def encode(self, text, **options): return list(text.encode())\n    def decode(self, tokens): return ' '.join(map(str, tokens))\ndef get_encoding(name): return Encoding()\n",
    "tiktoken/load.py": "def load_tiktoken_bpe(path): return {}\n",
    "requests.py": "",
    "matplotlib/__init__.py": "",
    "matplotlib/pyplot.py": "from unittest import mock\nimport sys\nsys.modules[__name__] = mock.MagicMock()\n",
    "matplotlib/ticker.py": "MaxNLocator = lambda **options: None\n",
}
TEXT = "The quick brown fox jumps over the lazy dog. " * 1200  # some 50 samples of the book's training

# The data of its trainer, random: (samples, tokens each).
TORCHTITAN = """
import runpy, sys, types
from unittest import mock
import torch
sys.modules["torch.utils.tensorboard"] = mock.MagicMock()
class Tokens:
    n_words = 128256
class Batches:
    def __init__(self, *shape): self.shape = shape
    def __iter__(self):
        while True: yield torch.randint(0, 128000, self.shape), torch.randint(0, 128000, self.shape)
    def state_dict(self): return {}
datasets = sys.modules["torchtitan.datasets"] = types.ModuleType("torchtitan.datasets")
datasets.build_tokenizer = lambda *options: Tokens()
datasets.build_hf_data_loader = lambda name, path, tokenizer, samples, length, *place: Batches(samples, length)
from torchtitan.config_manager import JobConfig
config = JobConfig()
config.parse_args(sys.argv[1:])
runpy.run_path("train.py")["main"](config)
"""
CONFIG = "train_configs/llama3_8b.toml"

GENERATION = """
import torch
from llms_from_scratch{package} import {model} as Model, {config} as config
from llms_from_scratch{generator} import {generate} as generate
model = Model(config).to("cuda")
prompt = torch.ones({batch}, {tokens}, dtype=torch.long, device="cuda")
generate(model=model, idx=prompt, max_new_tokens=150, context_size=config["context_length"]{options})
print(f"Max memory allocated: {{torch.cuda.max_memory_allocated() / 1024 ** 3:.4f}} GB")
"""


@dataclasses.dataclass
class Figure:
    name: str
    published: str  # GiB
    source: str  # "torchtitan" or "book"
    commit: str
    folder: str  # in which it runs
    words: list  # behind python
    said: str  # before the figure, as the program prints it
    phantom: list = dataclasses.field(default_factory=lambda: ["--card", "a100-40gb"])


def sharded(gpus, published, *options):
    name = f"Llama 3.1 8B, FSDP over {gpus} H100" + (", compiled" if options else "")
    words = ["-c", TORCHTITAN, "--job.config_file", CONFIG, "--training.batch_size", "2", "--training.steps", "10", "--training.seed", "0", "--metrics.log_freq", "1", *options]
    return Figure(name, published, "torchtitan", "ba246978", ".", words, r"memory: *", ["--card", "h100", "--memory", "95GiB", "--world", str(gpus)])


def trained(name, published, script, counter):
    return Figure(name, published, "book", "908dd2f", "ch05/10_llm-training-speed", [script], counter + ": ")


def generation(name, published, *, cached=False, batch=1, fast=False):
    qwen = name.startswith("Qwen3")
    cache = ".kv_cache" + ("_batched" if batch > 1 else "") if cached else ""
    simple = cached or batch > 1
    code = GENERATION.format(
        package=cache + (".qwen3" if qwen else ".llama3"),
        model="Qwen3Model" if qwen else "Llama3ModelFast" if fast else "Llama3Model",
        config="QWEN_CONFIG_06_B" if qwen else "LLAMA32_CONFIG_1B",
        generator=f"{cache}.generate" if cached else ".ch04" if simple else ".ch05",
        generate="generate_text_simple" if simple else "generate",
        batch=batch,
        tokens=15 if qwen else 16,
        options="" if simple else ", top_k=1, temperature=0.0",
    )
    return Figure(name, published, "book", "28c65cd", "pkg", ["-c", code], "Max memory allocated: ")


FIGURES = [
    sharded(8, "82.4"),
    sharded(8, "77.0", "--training.compile"),
    sharded(128, "67.0"),
    sharded(128, "62.0", "--training.compile"),
    trained("GPT-2 small trained, allocated after it", "2.5069", "00_orig.py", "Allocated memory"),
    trained("GPT-2 small trained, reserved", "26.2617", "00_orig.py", "Reserved memory"),
    trained("GPT-2 small optimized, reserved", "22.5078", "01_opt_single_gpu.py", "Reserved memory"),
    generation("Llama 3.2 1B generates", "2.91"),
    generation("Llama 3.2 1B generates, fast", "2.91", fast=True),
    generation("Llama 3.2 1B generates, KV cache", "2.87", cached=True),
    generation("Qwen3 0.6B generates", "1.49"),
    generation("Qwen3 0.6B generates, KV cache", "1.47", cached=True),
    generation("Qwen3 0.6B generates, batch of 8", "2.19", batch=8),
    generation("Qwen3 0.6B generates, KV cache, batch of 8", "3.13", cached=True, batch=8),
]


def checked_out(figure, options, scratch):
    """As it stood then, but for what has to be replaced."""
    code = scratch / figure.commit
    if code.exists():
        return code
    code.mkdir()
    checkout, *parts = (options.torchtitan, "torchtitan", "train.py", CONFIG) if figure.source == "torchtitan" else (options.book, figure.folder)
    archive = subprocess.run(["git", "-C", checkout, "archive", figure.commit, *parts], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", code], input=archive, check=True)
    if figure.source == "torchtitan":
        config = code / CONFIG
        config.write_text(re.sub(r"(enable_(profiling|tensorboard)) = true", r"\1 = false", config.read_text()))
    elif figure.folder != "pkg":
        (code / figure.folder / "middlemarch.txt").write_text(TEXT)
    return code


def predicted(figure, options, scratch, told):
    """What the program itself prints last; of one that was run before, what it printed then."""
    code = checked_out(figure, options, scratch)
    key = (figure.commit, *figure.words, *figure.phantom)
    if key not in told:
        path = [str(scratch / "stand-ins"), str(code), str(code / "pkg"), os.environ.get("PYTHONPATH", "")]
        command = [os.path.abspath(options.tidemark), "phantom", *figure.phantom, "--", options.python, *figure.words]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        told[key] = subprocess.run(command, cwd=code / figure.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    figures = re.findall(figure.said + r"([\d.]+) ?Gi?B", told[key])
    if not figures:
        print(told[key], file=sys.stderr)
    return float(figures[-1]) if figures else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--torchtitan")
    parser.add_argument("--book")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    asked = [
        figure
        for figure in FIGURES
        if getattr(options, figure.source) and (not options.patterns or any(re.search(pattern, figure.name) for pattern in options.patterns))
    ]
    told = {}
    equal = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name, text in STAND_INS.items():
            file = scratch / "stand-ins" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for figure in asked:
            gib = predicted(figure, options, scratch, told)
            digits = len(figure.published.partition(".")[2])
            shown = "failed" if gib is None else f"{gib:.{digits}f}"
            equal += shown == figure.published
            print(f"{figure.name:44} published {figure.published:>8} GiB   predicted {shown:>8} GiB", flush=True)
    print(f"{equal} of {len(asked)} are the same in every digit that was published.")


if __name__ == "__main__":
    main()
