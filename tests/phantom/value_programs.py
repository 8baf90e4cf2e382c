"""What programs read back of the card, and what of it is known on a phantom."""

import math
import resource

import torch
from torch import distributions, nn
from torch.nn import functional as F

from catalogue import program

ON_A_PHANTOM = "it checks what only a phantom answers"
NOT_RECORDED = "nobody recorded it on a card"


def computed(*shape):
    """What a product of matrices left there, which nobody knows on a phantom."""
    return (torch.ones(math.prod(shape), 1, device="cuda") @ torch.ones(1, 1, device="cuda")).view(shape)


@program("reading-back", quick=True, unlike_card=ON_A_PHANTOM)
def reading_back():
    x = torch.arange(6.0).cuda()
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    torch.ones(3, device="cuda").mul_(2)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]  # kernels ran, on other tensors as far as anybody knows
    rows, column, address = torch.ones(6, 1, device="cuda"), torch.ones(1, 1, device="cuda"), x.data_ptr()
    del x
    product = rows @ column
    assert product.data_ptr() == address and product.tolist() == [[0]] * 6  # never what was in that memory before
    x = torch.arange(6.0).cuda()
    x.sum().item(), x.nonzero(), x[x > 2], torch.unique(x), torch.isfinite(x).all().item(), torch.masked_select(x, x > 1)
    torch.sort(x), torch.topk(x, 3), torch.cumsum(x, 0), torch.histc(x), torch.bincount(x.long()), torch.median(x), torch.kthvalue(x, 2)
    torch.repeat_interleave(x, torch.ones(6, dtype=torch.long, device="cuda")), torch.searchsorted(x, x), print(x)


@program("different-values", quick=True, unlike_card=ON_A_PHANTOM)
def different_values():
    """How many there are is read back: of zeros, which is what kernels leave here, one. No card would answer with none."""
    x = torch.randint(9, (50_000,), device="cuda", dtype=torch.int16)  # more of them than are computed here
    assert torch.unique(x).numel() == 1 and torch.unique(x, return_inverse=True)[0].numel() == 1
    assert torch.unique_consecutive(x).numel() == 1 and torch.unique(x.view(500, 100), dim=0).shape == (1, 100)
    values, where, counts = torch.unique(x, return_inverse=True, return_counts=True)
    assert values.shape == counts.shape == (1,) and torch.unique_consecutive(x, return_counts=True)[1].shape == (1,)
    rows, counts = torch.unique(x.view(500, 100), dim=0, return_counts=True)
    assert rows.shape == (1, 100) and counts.shape == (1,)
    torch.isin(x, torch.randint(9, (500,), device="cuda"))
    loss = x.sum()
    torch.unique(x)
    assert loss.item() == 0  # only the count is told


@program("flags-in-any-order", quick=True, unlike_card=ON_A_PHANTOM)
def flags_in_any_order():
    """What a comparison of zeros says is its own, whenever and after whatever kernels it is read."""
    loss = computed(4).mul(2).sum()
    exploded, broken, small = loss > 1e9, torch.isnan(loss), loss < 1e9
    assert not exploded.item() and not broken.item() and small.item()
    assert small.item() and not broken.item() and not exploded.item()
    finite, finite_one = torch.isfinite(computed(4)).all(), torch.isfinite(loss).all()
    computed(64, 64) @ computed(64, 64) + 1
    assert finite.item() and finite_one.item()
    assert not torch.empty(1, dtype=torch.bool, device="cuda").item()


# As transformers ends its loop: by what a card computed, or at the longest.
GENERATION = """
def _has_unfinished_sequences(finished):
    if finished:
        return False
    return True

class StopCheck:  # from 5.17 on
    def __call__(self, unfinished):
        return bool(unfinished.max() == 0)

def _sample(torch, computed, longest, check=None):
    tokens, unfinished, finished = torch.ones(2, 1, dtype=torch.long, device="cuda"), torch.ones(2, dtype=torch.long, device="cuda"), False
    while _has_unfinished_sequences(finished):
        chosen = computed(2, 9).argmax(-1)
        tokens = torch.cat([tokens, chosen[:, None]], dim=-1)
        ended = torch.full((2,), tokens.shape[1] >= longest, device="cuda") | torch.isin(tokens[:, -1], torch.tensor([7], device="cuda"))
        unfinished = unfinished & ~ended
        finished = check(unfinished) if check else unfinished.max() == 0
    return tokens
"""


@program("generation", quick=True, unlike_card=ON_A_PHANTOM)
def generation():
    there = {}
    exec(compile(GENERATION, "/x/transformers/generation/utils.py", "exec"), there)
    assert there["_sample"](torch, computed, 12).shape == (2, 12)
    assert there["_sample"](torch, computed, 12, there["StopCheck"]()).shape == (2, 12)


@program("mean-of-nothing", quick=True, unlike_card=ON_A_PHANTOM)
def mean_of_nothing():
    """Masks of what is not known choose nothing here, on a card something: no loss of theirs is taken for broken."""
    x = computed(8, 4)
    chosen = x[x.sum(1) > 2]
    assert chosen.shape == (0, 4) and chosen.mean().item() == 0 and not torch.isnan(chosen.mean()).item()
    assert F.cross_entropy(chosen, torch.zeros(0, dtype=torch.long, device="cuda")).item() == 0


@program("what-follows-from-zeros", quick=True, unlike_card=ON_A_PHANTOM)
def what_follows_from_zeros():
    """What no kernel computed reads as zero, and what a program makes of it is what it would make of zeros: its guards hold."""
    labels, row = computed(4, 10).argmax(-1), computed(4, 10)
    found = (labels == 3).sum()
    assert (found + 1).item() == found.clamp(min=1).item() == max(found, torch.ones_like(found)).item() == 1 and (5 - found).item() == 5
    assert (labels != 99).sum().item() == 4 and row.softmax(-1).sum().item() == 4 and row.exp().tolist() == [[1] * 10] * 4
    lengths = (row != 0).sum(1).clamp(min=1)
    assert nn.utils.rnn.pack_padded_sequence(torch.ones(4, 10, 3, device="cuda"), lengths.cpu(), batch_first=True).data.shape == (4, 3)
    assert row[labels == 0].shape == (4, 10) and row[labels != 0].shape == (0, 10) and (labels == 0).any() and (labels == 0).nonzero().shape == (4, 1)
    many = computed(64, 64)  # of so many fractions only what decides
    assert (many + 1).sum().item() == 0 and (many == 0).sum().item() == 4096 and sorted(many.sort(0)[1][:, 0].tolist()) == list(range(64))
    assert (row / row.norm()).sum().item() == row.log().sum().item() == 0  # no number: as little known as it was
    copied, part = torch.ones(8, device="cuda"), computed(4)
    copied[:4] = part + 1
    copied.copy_(copied.view(8)), copied.clone()
    assert copied.tolist() == [1] * 8
    loss, steps = computed(4, 4).sum(), 0
    while (loss + 1).item() < 3 and steps < 9:
        loss, steps = loss + 1, steps + 1
    assert steps == 2
    torch.multinomial(computed(3, 5).softmax(-1), 2), torch.multinomial(computed(3, 50_000), 1)  # chances of zero are refused


@program("experts-by-what-is-not-known", quick=True, unlike_card=ON_A_PHANTOM)
def experts_by_what_is_not_known():
    """Each token goes to some expert: to the first, and the counts say so."""
    tokens = torch.ones(1024, 16, device="cuda")
    expert = nn.Linear(16, 8).cuda()(tokens).argmax(-1)
    counts = torch.bincount(expert, minlength=8)
    assert counts.tolist() == torch.zeros_like(counts).scatter_add_(0, expert, torch.ones_like(expert)).tolist() == F.one_hot(expert, 8).sum(0).tolist()
    assert counts.tolist() == [1024] + [0] * 7 and torch.histc(expert.float(), 8, 0, 7).sum().item() == 1024
    assert [part.shape[0] for part in tokens[expert.argsort()].split(counts.tolist())] == counts.tolist()
    assert torch.unique(expert, return_counts=True)[1].tolist() == [1024]


@program("exponentials-of-matrices", quick=True, unlike_card=ON_A_PHANTOM)
def exponentials_of_matrices():
    """By the norms of each it is decided how, too large to be computed here or not."""
    for batch, size in ((17, 16), (64, 32), (33, 64)):
        assert torch.linalg.matrix_exp(torch.randn(batch, size, size, device="cuda")).shape == (batch, size, size)


@program("sizes-from-what-was-sent", quick=True, unlike_card=ON_A_PHANTOM)
def sizes_from_what_was_sent():
    """Masks and lengths decide sizes, and whole numbers that come of what the program sent are computed."""
    lengths, mask = torch.tensor([3, 5, 7, 3]).cuda(), torch.tensor([True, False, True, False]).cuda()
    features = torch.randn(4, 8, device="cuda", requires_grad=True)
    assert features[mask].shape == (2, 8) and features[lengths == 3].shape == (2, 8) and features[lengths > 9].shape == (0, 8)
    features[mask & (lengths != 7)].sum().backward()
    assert torch.equal(lengths, torch.tensor([3, 5, 7, 3], device="cuda")) and not torch.equal(lengths, lengths.flip(0) + 1)
    assert torch.equal(lengths / 2, lengths * .5) and not torch.equal(lengths / 2, lengths / 4)
    assert not torch.equal(torch.tensor([True]).cuda(), torch.tensor([False]).cuda())
    assert mask.nonzero().tolist() == [[0], [2]] and lengths.cumsum(0).tolist() == [3, 8, 15, 18] and lengths.max().item() == 7
    inside = torch.arange(8, device="cuda")[None] < lengths[:, None]
    assert inside.sum(1).tolist() == [3, 5, 7, 3] and torch.randn(4, 8, device="cuda")[inside].shape == (18,)
    assert torch.repeat_interleave(features, lengths, dim=0).shape == (18, 8) and torch.unique(lengths).tolist() == [3, 5, 7]
    assert torch.stack([lengths, lengths])[:, 1:].contiguous().long().tolist() == [[5, 7, 3]] * 2
    assert (9 - lengths).tolist() == [6, 4, 2, 6] and (15 // lengths).tolist() == [5, 3, 2, 5] and (1 - mask.int()).tolist() == [0, 1, 0, 1]
    lengths[lengths == 3] = 9
    assert lengths.tolist() == [9, 5, 7, 9]
    order, places = torch.tensor([2, 0]), torch.full((2, 3), 9, device="cuda")  # indices may lie on the host
    places[torch.tensor([0, 1]), order] = lengths[order]
    assert lengths[order].tolist() == [7, 9] and places.tolist() == [[9, 9, 7], [9, 9, 9]] and lengths[torch.tensor([True, False, True, False])].shape == (2,)
    unknown = computed(4) > 0
    assert (unknown | torch.ones_like(mask)).tolist() == [True] * 4 and not (unknown & torch.zeros_like(mask)).any()
    drawn, order = torch.randint(3, 9, (4,), device="cuda"), torch.randperm(9, device="cuda")
    assert all(3 <= number < 9 for number in drawn.tolist()) and sorted(order.tolist()) == list(range(9))
    assert torch.randn(4, 2, device="cuda")[drawn >= 3].shape == (4, 2)


@program("how-many-numbers-are-computed", quick=True, unlike_card=ON_A_PHANTOM)
def how_many_numbers_are_computed():
    """Few enough. Of what would be more only the size is known, and none of the host's memory is taken."""
    ids = torch.arange(20_000).cuda()
    even = ids % 2 == 0
    assert torch.where(even, -100, ids)[:3].tolist() == torch.where(even, torch.full_like(ids, -100), ids)[:3].tolist() == [-100, 1, -100]
    assert ids[even].shape == torch.where(even, ids, -100)[even].shape == (10_000,)
    assert torch.unique(even).tolist() == [False, True] and torch.unique(ids >= 0).tolist() == [True] and torch.unique(ids < 0).tolist() == [False]
    table, row = torch.arange(32_768).view(2, 16_384).cuda(), torch.zeros(32_768, dtype=torch.long).cuda()
    assert table[:, 5:7][row[:3]].tolist() == table[:, 5:7].index_select(0, row[:3]).tolist() == [[5, 6]] * 3
    assert torch.bincount(ids[:3]).tolist() == [1] * 3 and torch.cat([ids[:2], ids[:1]]).tolist() == [0, 1, 0]
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert table[row].shape == table.index_select(0, row).shape == (32_768, 16_384) and torch.cat([table] * 9).shape == (18, 16_384)
    assert table.index_select(0, row[:16_384]).shape == F.embedding(row[:16_384], table).shape == (16_384, 16_384)
    many, first = torch.arange(32_000, device="cuda"), ids[:9_000]  # shapes that do not go together
    assert many.take(first)[7].item() == many.gather(0, first)[7].item() == torch.searchsorted(many, first)[7].item() == 7
    assert torch.arange(5, 50, 5, device="cuda").tolist() == [*range(5, 50, 5)]
    torch.arange(10**9, device="cuda"), torch.arange(0, 1, 1e-9, device="cuda"), torch.randperm(10**9, device="cuda")
    torch.eye(30_000, device="cuda", dtype=torch.uint8), torch.linspace(0, 1, 10**9, device="cuda")
    torch.bincount(ids + 100_000_000), torch.repeat_interleave(torch.full((2,), 100_000_000, device="cuda"))
    cache = torch.empty(12_500_000, dtype=torch.int, device="cuda")
    for _ in range(5000):  # as what measures kernels clears a card's cache: minutes, if each were computed
        cache.zero_()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < used + 500_000  # KiB


@program("large-graphs", quick=True, unlike_card=ON_A_PHANTOM)
def large_graphs():
    """Millions of edges decide sizes, too, sent or made on the card, and read back they are what was sent."""
    nodes, generator = 50_000, torch.Generator().manual_seed(0)
    sent = torch.randint(nodes, (2, 400_000), generator=generator)
    sent[:, :1000] = torch.arange(1000)
    edges, mask = sent.cuda(), (torch.rand(nodes, generator=generator) < 0.5)
    assert torch.equal(edges.cpu(), sent) and torch.equal(edges.clone()[1].cpu(), sent[1]) and torch.equal(edges.int().cpu(), sent.int())
    inner = edges[0] != edges[1]
    assert edges[:, inner].shape == sent[:, sent[0] != sent[1]].shape and inner.sum().item() == (sent[0] != sent[1]).sum().item()
    chosen = mask.cuda()
    assert chosen.nonzero().shape == mask.nonzero().shape and torch.randn(nodes, 4, device="cuda")[chosen].shape == (int(mask.sum()), 4)
    assert edges[:, chosen[edges[0]] & chosen[edges[1]]].shape == sent[:, mask[sent[0]] & mask[sent[1]]].shape
    assert torch.unique(edges).shape == torch.unique(sent).shape and torch.unique(edges[0] * nodes + edges[1]).shape == torch.unique(sent[0] * nodes + sent[1]).shape
    whole = [torch.sparse_coo_tensor(index, torch.ones(400_000, device=index.device), (nodes, nodes)).coalesce() for index in (edges, sent)]
    assert whole[0]._nnz() == whole[1]._nnz() and torch.equal(whole[0].indices().cpu(), whole[1].indices())
    both = torch.cat([edges, edges.flip(0), torch.arange(nodes, device="cuda").repeat(2, 1)], 1)
    assert both.shape == (2, 850_000) and both.max().item() == nodes - 1 and torch.bincount(both[0]).shape == (nodes,)
    assert edges[:, :1].index_select(1, (edges[0] * 0)).shape == (2, 400_000) and edges[:, edges[1:] * 0].sum().item() == 0
    assert torch.repeat_interleave(torch.full((100_000,), 3, device="cuda")).shape == (300_000,)
    edges.mul_(computed(1).long())  # from here on nobody knows
    assert edges[:, edges[0] != edges[1]].shape == (2, 0)


@program("checks-of-values", quick=True, unlike_card=ON_A_PHANTOM)
def checks_of_values():
    """PyTorch refuses arguments that are wrong. What kernels made of them nobody knows here, and nothing may be refused for that."""
    zero, one = computed(3), computed(3)
    torch.normal(zero, one), torch.normal(0.0, one.half()), torch.cov(torch.ones(3, 3, device="cuda"), aweights=one)
    for loc, scale in ((zero, one), (zero[0], one[0]), (zero[:1, None], one[:1, None])):
        distributions.Normal(loc, scale).sample()
        distributions.Independent(distributions.Gamma(scale, scale.double()), 0).rsample()
        distributions.Categorical(probs=one.div(3)).log_prob(torch.zeros((), device="cuda").add(1))
    distributions.MultivariateNormal(zero, torch.eye(3, device="cuda").mul(1)).rsample()
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 1).cuda().eval()
    with torch.no_grad():
        padding = torch.tensor([[False, False, True], [False] * 3]).cuda()
        assert encoder(torch.ones(2, 3, 16, device="cuda"), src_key_padding_mask=padding).shape == (2, 3, 16)
    window = torch.hann_window(64, device="cuda")
    spectrum = torch.stft(torch.ones(2, 1000, device="cuda"), 64, window=window, return_complex=True)
    assert torch.istft(spectrum, 64, window=window).shape == (2, 992)  # it refuses windows that leave gaps
    batches = nn.BatchNorm1d(3, momentum=None).cuda()  # as torch.optim.swa_utils.update_bn makes them: one over their number
    batches(torch.ones(4, 3, device="cuda")).sum().backward()
    one = computed(3)  # not known
    assert torch.isfinite(one.sum()) and not torch.isnan(one.sum()) and not torch.isinf(one.sum())
    for number in (one.sum(), one.sum().half(), one.sum().double(), one.sum().long(), one.sum().to(torch.uint8)):
        assert number >= 0 and number <= 1 and number < 1 and number == 0 and number != 1 and number >= number
        assert not number > 0 and not number < 0 and not number >= 1 and not number != 0 and not number == 1


@program("known-fractions", quick=True, unlike_card=ON_A_PHANTOM)
def known_fractions():
    """What was filled or sent, and what becomes of a few such numbers, is as on a card."""
    assert torch.full((3,), 2.5, device="cuda").tolist() == [2.5] * 3 and torch.ones(1024, device="cuda").sum().item() == 1024
    weights = torch.tensor([1.0, 2.0, 5.0]).cuda()
    assert (weights / weights.sum()).tolist() == [0.125, 0.25, 0.625] and weights.max().item() == 5
    assert torch.ones(5, 5, device="cuda").triu(1).bool().sum().item() == 10
    doubled = torch.ones((), device="cuda")
    while doubled.item() < 10:
        doubled = doubled * 2
    assert doubled.item() == 16
    weights += computed(3)
    assert weights.tolist() == [1, 2, 5]  # as if what was added were zero
    table = torch.ones(2, 4, device="cuda")
    table[:, :3] = computed(2, 3)
    assert [row[3].item() for row in table] == [1, 1] and [row[0].item() for row in table] == [0, 0]
    rows = F.one_hot(computed(2, 3).argmax(1), 3)
    assert rows.tolist() == [[1, 0, 0]] * 2  # as of zeros: no row says that it is none
    distributions.OneHotCategorical(probs=torch.ones(3, device="cuda")).log_prob(rows.float())
    assert torch.ones(32_768, device="cuda").sum().item() == 32_768 and torch.ones(32_769, device="cuda").tolist() == [0] * 32_769


@program("fractions-put-in-place", quick=True, unlike_card=ON_A_PHANTOM)
def fractions_put_in_place():
    """Where indices and masks say; the others stay as they were."""
    places, mask = torch.tensor([1, 2], device="cuda"), torch.tensor([True, False, True, False], device="cuda")
    filled, masked, table = torch.zeros(4, device="cuda"), torch.zeros(4, device="cuda"), torch.ones(4, 4, device="cuda")
    filled[places], masked[mask], table[places[:1] - 1] = 2.0, torch.tensor([3.0, 4.0], device="cuda"), 5.0
    assert filled.tolist() == [0, 2, 2, 0] and masked.tolist() == [3, 0, 4, 0] and table.sum().item() == 32
    assert filled.index_put((places,), torch.tensor(5.0, device="cuda"), accumulate=True).tolist() == [0, 7, 7, 0]
    keep = torch.zeros(6, device="cuda")
    keep[torch.arange(0, 6, 2, device="cuda")] = 1.0
    assert torch.randn(6, 9, device="cuda")[keep > 0].shape == (3, 9)
    filled[places] = computed(2) + 1
    assert filled.tolist() == [0, 1, 1, 0]  # as of zeros


@program("numbers-that-are-stored-otherwise", quick=True, unlike_card=ON_A_PHANTOM)
def numbers_that_are_stored_otherwise():
    """A view that negates: what comes of it is not known, as what is written through it."""
    sent = torch.tensor([1, 2, 3]).cuda()
    assert (torch._neg_view(sent) + 0).tolist() == [0] * 3 and sent.tolist() == [1, 2, 3]
    torch._neg_view(sent).add_(1)
    assert sent.tolist() == [0] * 3
    rows = torch.tensor([[3.0, 4.0], [0.3, 0.4]])  # renorm scales by what it has made of norms that are known
    torch.testing.assert_close(rows.cuda().renorm(2, 0, 1.0).cpu(), rows.renorm(2, 0, 1.0))


@program("counted-and-reduced", quick=True, unlike_card=ON_A_PHANTOM)
def counted_and_reduced():
    """How many different rows there are, and what statistics say, of numbers that were sent."""
    sent = torch.tensor([3, 1, 1, 1, 3, 7, 7])
    rows = torch.stack([sent, sent], 1)
    for host, card in ((sent, sent.cuda()), (sent.double(), sent.double().cuda()), (sent > 2, (sent > 2).cuda())):
        for consecutive in (torch.unique, torch.unique_consecutive):
            for found, right in zip(consecutive(card, return_inverse=True, return_counts=True), consecutive(host, return_inverse=True, return_counts=True)):
                assert found.tolist() == right.tolist()
    for dim, turned in ((0, rows), (1, rows.T.contiguous()), (-1, rows.T.contiguous())):
        assert torch.equal(torch.unique(turned.cuda(), dim=dim).cpu(), torch.unique(turned, dim=dim))
        values, inverse, counts = torch.unique_consecutive(turned.cuda(), return_inverse=True, return_counts=True, dim=dim)
        assert values.shape[dim] == 4 and inverse.tolist() == [0, 1, 1, 1, 2, 3, 3] and counts.tolist() == [1, 3, 1, 2]
    for function in (lambda x: x.cummax(0)[0], lambda x: x.cummin(0)[1], lambda x: x.double().cummax(0)[0], lambda x: torch.histc(x.double(), 4),
                     lambda x: x.double().std(), lambda x: torch.var_mean(x.double())[0], lambda x: x.double().softmax(0), lambda x: x.double().log_softmax(0)):
        torch.testing.assert_close(function(sent.cuda()).cpu(), function(sent))
    unknown = computed(7)
    assert unknown.std().item() == unknown.cummax(0)[0].sum().item() == 0 and unknown.softmax(0).sum().item() == 1
    torch.histc(torch.ones(3, device="cuda"), 10**9)  # only its size is known


@program("elements-of-sparse-tensors", quick=True, unlike_card=ON_A_PHANTOM)
def elements_of_sparse_tensors():
    """Indices that are the same become one element, whatever their values are: so a sparse gradient takes what it does on a card."""
    indices = torch.tensor([[0, 1, 1, 2, 1], [0, 1, 1, 3, 1]])
    known = torch.sparse_coo_tensor(indices, torch.ones(5), (5, 5)).cuda().coalesce()
    assert known.indices().tolist() == [[0, 1, 2], [0, 1, 3]] and known.values().tolist() == [1, 3, 1]
    unknown = torch.sparse_coo_tensor(indices.cuda(), computed(5, 9), (5, 5, 9)).coalesce()
    assert unknown.indices().tolist() == known.indices().tolist() and unknown.values().shape == (3, 9) and unknown.values()[1, 1].item() == 0
    table = nn.Embedding(1000, 64, sparse=True).cuda()
    table(torch.tensor([7, 7, 9]).cuda()).sum().backward()
    assert table.weight.grad.coalesce().values().shape == (2, 64)
    assert torch.sparse_coo_tensor(computed(1, 9).long(), torch.ones(9, device="cuda"), (4,)).coalesce().values().shape == (1,)


@program("what-is-written-over", quick=True, unlike_card=ON_A_PHANTOM)
def what_is_written_over():
    """A part of what is known is written to as on a card; what something unknown is written over is known no more, wherever an operator writes."""
    mask = torch.zeros(4, 4, dtype=torch.bool, device="cuda")
    mask[:, 0], mask[::2, 3] = True, True
    assert mask.sum().item() == 6 and mask[:, 3].tolist() == [True, False, True, False]
    ids = torch.arange(8, device="cuda").view(2, 4)
    shifted = ids.new_zeros(ids.shape)
    shifted[:, 1:], shifted[:, 0] = ids[:, :-1].clone(), 9
    assert shifted.tolist() == [[9, 0, 1, 2], [9, 4, 5, 6]]
    lengths = torch.tensor([3, 5, 7]).cuda()
    lengths.record_stream(torch.cuda.Stream())
    assert lengths.tolist() == [3, 5, 7]
    unknown, large = computed(4), computed(5000)
    listed, out, norm = torch.ones(4, device="cuda"), torch.ones(4, device="cuda"), nn.BatchNorm1d(4).cuda()
    torch._foreach_add_([large, listed], [large, unknown])
    torch.add(unknown, 1, out=out)
    norm.eval()(computed(2, 4))
    assert norm.running_var.sum().item() == 4
    norm.train()(computed(2, 4))
    assert listed.tolist() == norm.running_var.tolist() == [0] * 4 and out.tolist() == [1] * 4  # as of zeros
    ends = torch.full((4,), 9, device="cuda")  # of sentences whose words are not known: none is said to have an end
    chosen = computed(4) > 0
    ends[chosen] = computed(4).long()[chosen]
    ends[chosen.nonzero().squeeze(1)] = 1
    assert ends.tolist() == [9] * 4
    counted, graph = torch.zeros(3, dtype=torch.long, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        counted.add_(1)
    graph.replay()
    assert counted.tolist() == [0] * 3  # not known: how often it ran is not counted


@program("large-and-written-over", quick=True, unlike_card=ON_A_PHANTOM)
def large_and_written_over():
    """Of tensors too large to be computed, too: what was sent is known no more once something else is written there, a part only where a part is."""
    numbers = (torch.arange(60_000) % 100).to(torch.uint8)
    sent, ids = torch.arange(20_000.0).cuda().view(200, 100), numbers.cuda()
    assert sent[1, :3].tolist() == [100, 101, 102] and ids[7].item() == 7
    sent[:, :2] = computed(200, 2)
    assert sent[1, :4].tolist() == [0, 0, 102, 103]
    sent[5:8].mul_(2)
    assert sent[6, 2:4].tolist() == [0, 0] and sent[4, 2:4].tolist() == [402, 403]
    ids.add_(1), torch._foreach_add_([sent], 1.0)
    assert ids[7].item() == 0 and sent[4, 3].item() == 0
    images = torch.ones(8, 3, 30, 30).cuda()
    images[:, 1] = computed(8, 30, 30)
    assert [images[7, channel, 3, 3].item() for channel in range(3)] == [1, 0, 1]
    assert images[:, 0, 3, 3].tolist() == [1] * 8 and images[:, 1, 3, 3].tolist() == [0] * 8
    ids.copy_(numbers)
    assert ids[7].item() == 7
    ids.zero_()
    assert ids[7].item() == 0


@program("triangles", quick=True, unlike_card=ON_A_PHANTOM)
def triangles():
    """Indices that are made of sizes alone."""
    for make in (torch.tril_indices, torch.triu_indices):
        assert make(4, 5, 1, device="cuda").tolist() == make(4, 5, 1).tolist()
    rows, columns = torch.tril_indices(3, 3, device="cuda")
    assert (rows >= columns).all() and computed(9)[rows * 3 + columns].shape == (6,)
    assert torch.tril_indices(3, 3, -5, device="cuda").shape == (2, 0)
    torch.triu_indices(30_000, 30_000, 29_000, device="cuda")


@program("graphs-and-values", quick=True, unlike_card=ON_A_PHANTOM)
def graphs_and_values():
    """What a graph holds is done when it is launched, each time, and not when it is made."""
    step, filled, copied = (torch.tensor([number] * 3).cuda() for number in (1, 2, 3))
    source, graph = torch.tensor([7, 8, 9]).cuda(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step.add_(1)
        doubled = copied * 2
        filled.zero_()
        copied.copy_(source)
    assert step.tolist() == [1] * 3 and filled.tolist() == [2] * 3 and copied.tolist() == [3] * 3
    for number in (4, 5):
        step.fill_(number), filled.fill_(number), doubled.fill_(number), source.fill_(number)
        assert step.tolist() == filled.tolist() == doubled.tolist() == [number] * 3
        graph.replay()
        assert step.tolist() == doubled.tolist() == filled.tolist() == [0] * 3 and copied.tolist() == [number] * 3


@program("drawn-as-on-a-card", quick=True)
def drawn_as_on_a_card():
    """What cards are known to have drawn: seed 0, torch.rand(3, 3) twice (an example of storch, "Use device index if you have multiple
    GPUs"), torch.randn(2, 8) (notes on fused kernels of Triton, "Input tensor([[-0.9247, -0.4253"), and seed 42. A card is asked again."""
    def check(drawn, *numbers):
        torch.testing.assert_close(drawn.flatten()[:len(numbers)].cpu(), torch.tensor(numbers), rtol=0, atol=6e-5)
    torch.manual_seed(0)
    check(torch.rand(3, 3, device="cuda"), 0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290)
    check(torch.rand(3, 3, device="cuda"), 0.9722, 0.7910, 0.4690, 0.3300, 0.3345, 0.3783, 0.7640)
    generator = torch.Generator("cuda").manual_seed(0)
    check(torch.randn(2, 8, device="cuda", generator=generator), -0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284, -1.0745, -0.3631)
    torch.cuda.manual_seed(42)
    check(torch.rand(3, device="cuda"), 0.6130, 0.0101, 0.3984)


@program("sizes-from-what-is-drawn", quick=True, unlike_card="how many different values there are, which torch.isin looks at, no kernel computed")
def sizes_from_what_is_drawn():
    """A mask of what is drawn chooses as many elements as on a card; what PyTorch makes of a draw goes by the same numbers."""
    torch.manual_seed(0)
    drawn = torch.rand(8, device="cuda")
    torch.manual_seed(0)
    kept = torch.empty(8, device="cuda").bernoulli_(0.5)
    torch.manual_seed(0)
    scaled = torch.empty(2, 4, device="cuda").uniform_(-2, 2)
    torch.manual_seed(0)
    halves = torch.rand(8, device="cuda", dtype=torch.float16)
    torch.manual_seed(0)
    waited = torch.empty(4, 2, device="cuda").t().exponential_()
    assert torch.ones(8, 5, device="cuda")[drawn > 0.5].shape == (5, 5) and kept.tolist() == [1, 0, 1, 0, 0, 0, 1, 0] == (drawn < 0.5).tolist()
    torch.testing.assert_close(scaled.flatten(), drawn * 4 - 2), torch.testing.assert_close(halves.float(), drawn, atol=1e-3, rtol=0)
    torch.testing.assert_close(waited.t().flatten(), -drawn.log())  # in the order of their addresses
    chances = torch.bernoulli(torch.tensor([0.0, 1.0] * 500, device="cuda"))
    assert chances.sum().item() == 500 and torch.multinomial(torch.tensor([0.0, 1.0, 0.0, 1.0], device="cuda"), 2).sort()[0].tolist() == [1, 3]
    for count in (1, 7, 3000, 32_000):  # of keys of 32 and 64 bits
        assert torch.randperm(count, device="cuda").sort()[0].tolist() == list(range(count))
    many, few = torch.randint(5, 9, (20_000,), device="cuda"), torch.randint(-2, 2**40, (9,), device="cuda")
    assert many.unique().tolist() == [5, 6, 7, 8] and 4800 < (many == 5).sum().item() < 5200 and (few >= -2).all() and few.max().item() > 2**36
    tokens = torch.arange(4096, device="cuda").view(8, 512)
    masked = tokens[(torch.rand(tokens.shape, device="cuda") < 0.15) & (tokens % 8 != 0)]
    assert 400 < masked.numel() < 660 and torch.isin(masked, tokens).all()
    normal = torch.randn(30_000, device="cuda", dtype=torch.float64)
    assert abs(normal.mean().item()) < 0.03 and abs(normal.std().item() - 1) < 0.03


@program("drawn-by-one-seed", quick=True)
def drawn_by_one_seed():
    """The same seed draws the same numbers, another one others, and two draws differ; the program's own on the CPU are as they were."""
    def draw():
        return torch.randint(1000, (9,), device="cuda").tolist() + torch.randperm(20, device="cuda").tolist()
    torch.manual_seed(3)
    first, second, on_cpu = draw(), draw(), torch.rand(2)
    torch.manual_seed(3)
    assert draw() == first != second and torch.equal(torch.rand(2), on_cpu)
    torch.manual_seed(4)
    assert draw() != first
    generator = torch.Generator("cuda").manual_seed(3)
    given = torch.randperm(20, device="cuda", generator=generator).tolist()
    assert torch.randperm(20, device="cuda", generator=generator.manual_seed(3)).tolist() == given


@program("loss-scale-and-steps", quick=True, unlike_card=ON_A_PHANTOM)
def loss_scale_and_steps():
    """As on a card where all goes well: the scale stays, and grows in time; steps are counted."""
    for options in ({"fused": True}, {"capturable": True}, {"foreach": False}):
        net = nn.Linear(64, 64).cuda()
        optimizer, scaler = torch.optim.AdamW(net.parameters(), **options), torch.amp.GradScaler("cuda", growth_interval=3)
        for _ in range(4):
            with torch.autocast("cuda"):
                loss = net(torch.rand(2, 64, device="cuda")).sum()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        assert scaler.get_scale() == 2 * 65536 and scaler.state_dict()["_growth_tracker"] == 1
        assert all(state["step"].item() == 4 for state in optimizer.state.values())


@program("refused-operators", quick=True, unlike_card=NOT_RECORDED)
def refused_operators():
    """Where an operator fails, what it was to write to is as it was: where the CPU's would fail, too, and where only the card's does."""
    whole, fractions = torch.tensor([2, 4, 6], device="cuda"), torch.tensor([1.0, 2.0, 4.0], device="cuda")
    two, where = torch.ones(2, dtype=torch.long, device="cuda"), torch.tensor([0, 1, 1], device="cuda")

    def is_refused(operator):
        try:
            operator()
        except (IndexError, RuntimeError):
            return True
        return False

    assert is_refused(lambda: whole.div_(2)) and is_refused(lambda: whole.add_(two)) and is_refused(lambda: whole.index_add_(3, two, two))
    torch.use_deterministic_algorithms(True)
    only_here = is_refused(lambda: fractions.scatter_reduce_(0, where, fractions * 2, "prod"))
    torch.use_deterministic_algorithms(False)
    assert only_here and whole.tolist() == [2, 4, 6] and fractions.tolist() == [1, 2, 4]
    whole.div_(2, rounding_mode="floor")
    assert whole.tolist() == [1, 2, 3]


@program("lists-and-bounds", quick=True, unlike_card=NOT_RECORDED)
def lists_and_bounds():
    a, b = torch.tensor([1.0, 2.0], device="cuda"), torch.tensor([3.0, 4.0], device="cuda")
    assert [one.tolist() for one in torch._foreach_add([a, b], 1)] == [[2, 3], [4, 5]]
    assert torch._foreach_mul([a.long(), b], 5)[0].tolist() == [5, 10]
    bounds, among = torch.tensor([-1.0, 0.5, 2.0], device="cuda"), torch.tensor([-3.0, 0.0, 1.0, 5.0], device="cuda")
    assert torch.searchsorted(bounds, among).tolist() == torch.bucketize(among, bounds).tolist() == [0, 1, 2, 3]
    assert torch.isin(a, among).tolist() == [True, False]


@program("what-waits-for-values", quick=True, unlike_card=ON_A_PHANTOM)
def what_waits_for_values():
    """PyTorch's own code that goes on, or ends, only by what a result is."""
    x, one = computed(5000), computed(3)
    torch.mode(x), torch.mode(x[:100]), torch.mode(torch.randint(9, (50_000,), device="cuda"))
    for df in (one[0], torch.tensor(5.0, device="cuda")):
        wishart = distributions.Wishart(df, torch.eye(3, device="cuda"))
        wishart.log_prob(wishart.rsample()), wishart.entropy()
    distributions.VonMises(one, one).sample((2,))
    torch.lobpcg(torch.eye(20, device="cuda"), k=2)
    y = torch.randn(4, 10, device="cuda", requires_grad=True)
    torch.cov(y).sum().backward(), torch.corrcoef(y).sum().backward()
    nn.AdaptiveLogSoftmaxWithLoss(16, 100, [10, 50]).cuda()(torch.rand(8, 16, device="cuda"), torch.randint(100, (8,), device="cuda")).loss.backward()


@program("iterations-of-lbfgs", quick=True, unlike_card=ON_A_PHANTOM)
def iterations_of_lbfgs():
    """As many as there may be, and what is kept of each: a gradient of zero would end them before the first."""
    net = nn.Linear(64, 64).cuda()
    for options in ({}, {"line_search_fn": "strong_wolfe"}, {"max_iter": 30}):
        optimizer = torch.optim.LBFGS(net.parameters(), **{"max_iter": 10, "history_size": 15, **options})

        def closure():
            optimizer.zero_grad()
            loss = (net(torch.rand(4, 64, device="cuda")) - 1).square().mean()
            loss.backward()
            return loss

        optimizer.step(closure)
        kept = optimizer.state[net.weight]["old_dirs"]
        assert len(kept) == min(15, options.get("max_iter", 10) - 1), len(kept)
