"""Whole trainings as public scripts write them, whose sizes hang on what they draw or know on the card."""

import torch
from torch import nn
from torch.nn import functional as F

from catalogue import program


class Sage(nn.Module):
    """GraphSAGE: the mean of the neighbours, and the node itself."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.own, self.neighbours = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)

    def forward(self, x, edges):
        source, target = edges
        summed = torch.zeros_like(x).index_add_(0, target, x[source])
        degree = torch.bincount(target, minlength=x.size(0)).clamp(min=1)
        return self.own(x) + self.neighbours(summed / degree[:, None])


@program("sampled-graphs", quick=True)
def sampled_graphs():
    """Nodes that are drawn, their neighbours, and most of the edges among them: as many as on a card."""
    torch.manual_seed(0)
    nodes = 2000
    edges, x, labels = torch.randint(nodes, (2, 6000)).cuda(), torch.randn(nodes, 64).cuda(), torch.randint(7, (nodes,)).cuda()
    net = nn.ModuleList([Sage(64, 64), Sage(64, 7)]).cuda()
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    for _ in range(3):
        seeds = torch.randperm(nodes, device="cuda")[:50]
        inside = torch.zeros(nodes, dtype=torch.bool, device="cuda")
        inside[seeds] = True
        for _ in range(2):
            inside[edges[0][inside[edges[1]]]] = True
        chosen = inside.nonzero().squeeze(1)
        place = torch.full((nodes,), -1, device="cuda")
        place[chosen] = torch.arange(chosen.numel(), device="cuda")
        among = place[edges[:, inside[edges[0]] & inside[edges[1]]]]
        kept = among[:, torch.rand(among.size(1), device="cuda") >= 0.2]
        assert 300 < chosen.numel() < 700 and 0.7 < kept.size(1) / among.size(1) < 0.9 and (kept >= 0).all()
        hidden = F.dropout(net[0](x[chosen], kept).relu())
        F.cross_entropy(net[1](hidden, kept)[place[seeds]], labels[seeds]).backward()
        optimizer.step(), optimizer.zero_grad()


@program("speech", quick=True, unlike_card="workspaces of packed sequences follow the rule of those of one length")
def speech():
    """A spectrogram, of which drawn parts are hidden (SpecAugment), packed sequences and CTC with lengths from the card."""
    torch.manual_seed(0)
    convolution, recurrent, output = nn.Conv1d(40, 64, 3, 2, 1).cuda(), nn.LSTM(64, 64, bidirectional=True, batch_first=True).cuda(), nn.Linear(128, 29).cuda()
    optimizer = torch.optim.Adam([*convolution.parameters(), *recurrent.parameters(), *output.parameters()])
    window, filters, lengths = torch.hann_window(400, device="cuda"), torch.rand(201, 40).cuda(), torch.tensor([16000, 14000, 12000, 9000]).cuda()
    for _ in range(2):
        spectrum = torch.stft(torch.randn(4, 16000).cuda(), 400, 160, window=window, return_complex=True).abs().square()
        features = (spectrum.transpose(1, 2) @ filters).clamp(min=1e-10).log()
        begin, width = torch.randint(60, (1,), device="cuda").item(), torch.randint(1, 30, (1,), device="cuda").item()
        features[:, begin:begin + width] = 0
        frames = (lengths // 160 + 2) // 2
        hidden = convolution(features.transpose(1, 2)).relu().transpose(1, 2)
        packed = nn.utils.rnn.pack_padded_sequence(hidden, frames.cpu(), batch_first=True)
        scores = output(nn.utils.rnn.pad_packed_sequence(recurrent(packed)[0], batch_first=True)[0]).log_softmax(-1)
        symbols = torch.tensor([9, 7, 5, 4]).cuda()
        targets = torch.randint(1, 29, (int(symbols.sum()),)).cuda()
        F.ctc_loss(scores.transpose(0, 1), targets, frames, symbols, zero_infinity=True).backward()
        optimizer.step(), optimizer.zero_grad()
        assert targets.numel() == 25 and scores.shape == (4, 51, 29) and 0 < width < 30


@program("generation-by-hand", quick=True)
def generation_by_hand():
    """Until all sequences ended, which nobody knows on a phantom: its cache of keys and values grows to its longest there."""
    torch.manual_seed(0)
    table, layers, longest = nn.Embedding(500, 64).cuda(), [nn.Linear(64, 192).cuda() for _ in range(2)], 12
    tokens = torch.randint(1, 500, (2, 8), device="cuda")
    new, caches, ended = tokens, [None] * len(layers), torch.zeros(2, dtype=torch.bool, device="cuda")
    with torch.inference_mode():
        for _ in range(longest):
            x = table(new)
            for number, layer in enumerate(layers):
                query, key, value = layer(x).view(2, -1, 4, 48).transpose(1, 2).split(16, -1)
                if caches[number] is not None:
                    key, value = torch.cat([caches[number][0], key], 2), torch.cat([caches[number][1], value], 2)
                caches[number] = key, value
                x = x + F.scaled_dot_product_attention(query, key, value, is_causal=x.size(1) > 1).transpose(1, 2).flatten(2)
            new = torch.multinomial((x[:, -1] @ table.weight.T).softmax(-1), 1)
            tokens = torch.cat([tokens, new], 1)
            ended |= new[:, 0] == 2
            if ended.all():
                break
    assert tokens.shape == (2, 8 + longest) and caches[0][0].shape == (2, 4, 7 + longest, 16)
