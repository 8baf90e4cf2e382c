"""LSTM, GRU and plain recurrent nets through cuDNN: layers, both directions, dropout, packed sequences."""
import torch
from torch import nn

for kind in (nn.LSTM, nn.GRU, nn.RNN):
    net = kind(32, 64, num_layers=2, dropout=0.2, bidirectional=True, batch_first=True).cuda()
    head = nn.Linear(128, 10).cuda()
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
    inputs = torch.randn(4, 16, 32, device="cuda")
    for _ in range(2):
        optimizer.zero_grad()
        packed = nn.utils.rnn.pack_padded_sequence(inputs, torch.tensor([16, 12, 8, 4]), batch_first=True)
        for given in (inputs, packed):
            output, _ = net(given)
            if given is packed:
                output, _ = nn.utils.rnn.pad_packed_sequence(output, batch_first=True)
            head(output).square().mean().backward()
        optimizer.step()
    with torch.no_grad():
        net.eval()(inputs)
