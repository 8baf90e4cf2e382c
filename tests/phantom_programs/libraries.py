"""cuSOLVER, cuSPARSE, cuFFT, cuRAND and cuBLAS through PyTorch's own functions."""
import torch

square = torch.eye(16, device="cuda") * 3 + torch.rand(16, 16, device="cuda")
batch = square.expand(4, 16, 16).contiguous()
for matrix in (square, batch):
    torch.linalg.inv(matrix)
    torch.linalg.solve(matrix, matrix)
    torch.linalg.lu_factor(matrix)
    torch.linalg.cholesky_ex(matrix @ matrix.mT)
    torch.linalg.qr(matrix)
    torch.linalg.eigh(matrix @ matrix.mT)
    torch.linalg.svd(matrix)
    torch.linalg.lstsq(matrix, matrix)
    torch.linalg.det(matrix)
    torch.cholesky_inverse(matrix)
    torch.linalg.householder_product(matrix, matrix[..., 0, :].contiguous())

signal = torch.randn(4, 64, device="cuda")
torch.fft.irfft(torch.fft.rfft(signal))
torch.fft.ifft2(torch.fft.fft2(signal.to(torch.complex64)))
torch.stft(signal, 16, return_complex=True, window=torch.hann_window(16, device="cuda"))

indices = torch.tensor([[0, 1, 2], [2, 0, 1]], device="cuda")
sparse = torch.sparse_coo_tensor(indices, torch.ones(3, device="cuda"), (3, 3))
torch.sparse.mm(sparse, torch.ones(3, 4, device="cuda"))
rows = sparse.to_sparse_csr()
rows @ torch.ones(3, 4, device="cuda")
rows @ torch.ones(3, device="cuda")
rows @ rows

torch.manual_seed(1)
torch.randperm(100, device="cuda")
torch.randn(100, device="cuda").multinomial(5) if False else torch.rand(100, device="cuda").multinomial(5)
torch.nn.functional.dropout(signal)
torch.sort(signal), torch.topk(signal, 5), torch.cumsum(signal, 1), torch.unique(signal), torch.bincount(torch.zeros(9, dtype=torch.long, device="cuda"))
for kind in (torch.float64, torch.float16, torch.bfloat16, torch.complex64):
    matrix = torch.ones(32, 32, device="cuda", dtype=kind)
    torch.baddbmm(matrix[None], matrix[None], matrix[None])
    torch.addmv(matrix[0], matrix, matrix[0])
torch._scaled_mm(torch.ones(16, 32, device="cuda").to(torch.float8_e4m3fn), torch.ones(32, 16, device="cuda").to(torch.float8_e4m3fn).t().contiguous().t(),
                 scale_a=torch.ones((), device="cuda"), scale_b=torch.ones((), device="cuda"))
torch._int_mm(torch.ones(32, 32, device="cuda", dtype=torch.int8), torch.ones(32, 32, device="cuda", dtype=torch.int8))
