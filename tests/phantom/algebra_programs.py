"""Linear algebra, Fourier transforms and sparse matrices: cuFFT, cuSOLVER, cuBLAS and cuSPARSE."""

import torch
from torch import nn
from torch.nn import functional as F

from catalogue import program, train_once


@program("fft", quick=True)
def fft():
    x = torch.randn(4, 32, 32, device="cuda", requires_grad=True)
    (torch.fft.ifft2(torch.fft.fft2(x)).abs().sum() + torch.fft.irfftn(torch.fft.rfftn(x)).sum()).backward()
    torch.stft(torch.randn(2, 400, device="cuda"), 64, return_complex=True, window=torch.hann_window(64, device="cuda"))
    torch.fft.fft(torch.randn(3, 17, device="cuda", dtype=torch.double), dim=0)
    torch.fft.hfft(torch.randn(3, 17, device="cuda", dtype=torch.cfloat))


@program("linear-algebra", quick=True, unlike_card="cuSOLVER's workspaces")
def linear_algebra():
    for dtype in (torch.float, torch.double, torch.cfloat):
        a = torch.eye(8, device="cuda", dtype=dtype)
        batch = a.expand(3, 8, 8).contiguous()
        for x in (a, batch):
            for call in (
                torch.linalg.cholesky_ex, torch.linalg.inv_ex, torch.linalg.lu_factor_ex, torch.linalg.qr,
                torch.linalg.eigh, torch.linalg.eigvalsh, torch.linalg.svd, torch.linalg.svdvals, torch.linalg.det,
                torch.linalg.slogdet, torch.linalg.pinv, torch.linalg.matrix_norm, torch.linalg.ldl_factor_ex,
                torch.linalg.eigvals, torch.linalg.eig, torch.linalg.lu,
            ):  # fmt: skip
                call(x)
            y = torch.ones(*x.shape[:-1], 2, device="cuda", dtype=dtype)
            torch.linalg.solve_ex(x, y), torch.linalg.solve_triangular(x, y, upper=True), torch.linalg.lstsq(x, y)
            torch.linalg.solve_ex(x, y, left=True)
            torch.cholesky_solve(y, x), torch.cholesky_inverse(x), torch.triangular_solve(y, x)
            torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y)
            factor = torch.linalg.ldl_factor(x)
            torch.linalg.ldl_solve(factor.LD, factor.pivots, y)
            torch.geqrf(x), torch.linalg.householder_product(x, x[..., 0]), torch.ormqr(x, x[..., 0], y)
        for driver in ("gesvd", "gesvdj", "gesvda"):
            torch.linalg.svd(a, driver=driver), torch.linalg.svd(batch, driver=driver)
    train_once(nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8)), lambda net: net(torch.ones(2, 8, device="cuda")).sum())
    train_once(nn.utils.parametrizations.orthogonal(nn.Linear(8, 8), orthogonal_map="householder"), lambda net: net(torch.ones(2, 8, device="cuda")).sum())


@program("linear-algebra-large")
def linear_algebra_large():
    a = torch.eye(600, device="cuda")
    torch.linalg.svd(a), torch.linalg.eigh(a), torch.linalg.cholesky(a), torch.linalg.inv(a), torch.linalg.qr(a)
    many = torch.eye(32, device="cuda").expand(64, 32, 32).contiguous()
    torch.linalg.svd(many), torch.linalg.eigh(many), torch.linalg.cholesky(many), torch.linalg.inv(many), torch.linalg.qr(many)


@program("matrix-products", quick=True)
def matrix_products():
    for dtype in (torch.float, torch.double, torch.half, torch.bfloat16, torch.cfloat, torch.cdouble):
        a, v = torch.ones(16, 16, device="cuda", dtype=dtype), torch.ones(16, device="cuda", dtype=dtype)
        batch = torch.ones(3, 16, 16, device="cuda", dtype=dtype)
        a @ a, a @ v, v @ v, torch.vdot(v, v), batch @ batch, torch.addmm(v, a, a), torch.baddbmm(batch, batch, batch)
        torch.addmv(v, a, v), torch.addr(a, v, v), torch.outer(v, v), torch.einsum("bij,jk->bik", batch, a)
        F.linear(a, a, v)
    F.gelu(F.linear(torch.ones(16, 16, device="cuda"), torch.ones(16, 16, device="cuda"), torch.ones(16, device="cuda")))
    torch._addmm_activation(torch.ones(16, device="cuda"), torch.ones(16, 16, device="cuda"), torch.ones(16, 16, device="cuda"))
    torch._int_mm(torch.ones(32, 16, device="cuda", dtype=torch.int8), torch.ones(16, 16, device="cuda", dtype=torch.int8))
    eight = torch.zeros(32, 32, device="cuda").to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    torch._scaled_mm(eight, eight.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


@program("sparse", quick=True, unlike_card="cuSPARSE's workspaces")
def sparse():
    indices = torch.tensor([[0, 1, 2], [2, 0, 1]])
    coo = torch.sparse_coo_tensor(indices, torch.ones(3), (3, 3), is_coalesced=True).cuda()
    dense = torch.ones(3, 3, device="cuda")
    torch.sparse.mm(coo, dense), coo.to_dense(), coo + coo
    csr = torch.sparse_csr_tensor(torch.tensor([0, 1, 2, 3]), torch.tensor([0, 1, 2]), torch.ones(3), (3, 3)).cuda()
    csr @ dense, csr @ dense[0], csr.to_dense(), csr @ csr, csr + csr
    torch.sparse.sampled_addmm(csr, dense, dense)
    torch.triangular_solve(dense, csr)
    bsr = torch.eye(4, device="cuda").to_sparse_bsr((2, 2))
    bsr @ torch.ones(4, 4, device="cuda")
    embed = nn.Embedding(100, 16, sparse=True).cuda()
    embed(torch.zeros(4, dtype=torch.long, device="cuda")).sum().backward()
    torch.optim.SparseAdam(embed.parameters()).step()
    bag = nn.EmbeddingBag(100, 16, mode="sum").cuda()
    bag(torch.zeros(4, 3, dtype=torch.long, device="cuda")).sum().backward()


@program("semi-structured", quick=True, unlike_card="cuSPARSELt's workspaces")
def semi_structured():
    """Two of four weights are zero: a matrix keeps nine sixteenths of its bytes, with which ones they are."""
    from torch.sparse import SparseSemiStructuredTensor, to_sparse_semi_structured

    SparseSemiStructuredTensor._FORCE_CUTLASS = False
    for dtype, sixteenths in ((torch.float16, 9), (torch.bfloat16, 9), (torch.int8, 10)):
        weight = torch.tensor([0, 0, 1, 1], dtype=dtype).tile(128, 32).cuda()
        x = torch.ones(128, 128, dtype=dtype, device="cuda")
        kept = to_sparse_semi_structured(weight)
        assert kept.packed.numel() == 128 * 128 * sixteenths // 16
        assert F.linear(x, kept).shape == (kept @ x.t()).shape == (128, 128)
