"""One training step of small transformers as GPT, BERT and T5 are built: causal, bidirectional, encoder and decoder."""
import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self, words=1000, width=128, heads=4, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(256, width)
        block = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True, norm_first=True, activation="gelu")
        self.body = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        length = ids.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=ids.device)
        hidden = self.words(ids) + self.places(torch.arange(length, device=ids.device))
        return self.head(self.body(hidden, mask=mask, is_causal=True))


class Flash(nn.Module):
    """Rotary, grouped-query attention through scaled_dot_product_attention, as Llama does it."""

    def __init__(self, words=1000, width=128, heads=4):
        super().__init__()
        self.heads = heads
        self.words = nn.Embedding(words, width)
        self.q, self.kv, self.o = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.gate, self.up, self.down = nn.Linear(width, 256), nn.Linear(width, 256), nn.Linear(256, width)
        self.norm = nn.RMSNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.words(ids)
        batch, length, width = x.shape
        split = lambda t: t.view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = self.kv(self.norm(x)).chunk(2, -1)
        mixed = nn.functional.scaled_dot_product_attention(split(self.q(self.norm(x))), split(k), split(v), is_causal=True)
        x = x + self.o(mixed.transpose(1, 2).reshape(batch, length, width))
        return self.head(x + self.down(nn.functional.silu(self.gate(x)) * self.up(x)))


def train(model, logits_of, ids, amp):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(2):
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            logits = logits_of(ids)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


ids = torch.randint(0, 1000, (4, 64), device="cuda")
for amp in (False, True):
    for model in (Causal().cuda(), Flash().cuda()):
        train(model, model, ids, amp)
    pair = nn.Transformer(128, 4, 2, 2, 256, batch_first=True).cuda()
    words, head = nn.Embedding(1000, 128).cuda(), nn.Linear(128, 1000).cuda()
    whole = nn.ModuleList([pair, words, head])
    train(whole, lambda ids: head(pair(words(ids), words(ids))), ids, amp)
