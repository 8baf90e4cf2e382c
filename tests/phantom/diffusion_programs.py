"""A diffusion model's U-Net: its training step and a few steps of sampling."""

from catalogue import program, train_once


def small_unet():
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel(
        sample_size=32, block_out_channels=(32, 64), layers_per_block=1, cross_attention_dim=32, norm_num_groups=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    )  # fmt: skip


def noise_of(net):
    import torch

    text = torch.randn(2, 7, 32, device="cuda")
    times = torch.randint(1000, (2,), device="cuda")
    return net(torch.randn(2, 4, 32, 32, device="cuda"), times, encoder_hidden_states=text).sample


for suffix, precision in (("", None), ("-fp16", "float16")):

    @program("diffusers-unet" + suffix, needs=("diffusers",))
    def unet(precision=precision):
        import torch

        train_once(small_unet(), lambda net: noise_of(net).square().mean(), autocast=precision and getattr(torch, precision))


@program("diffusers-sampling", needs=("diffusers",))
def sampling():
    import torch
    from diffusers import DDIMScheduler

    net, scheduler = small_unet().cuda().eval(), DDIMScheduler()
    scheduler.set_timesteps(3)
    with torch.no_grad():
        sample = torch.randn(2, 4, 32, 32, device="cuda")
        for time in scheduler.timesteps:
            sample = scheduler.step(noise_of(net), time, sample).prev_sample


@program("diffusers-vae", needs=("diffusers",))
def vae():
    import torch
    from diffusers import AutoencoderKL

    net = AutoencoderKL(block_out_channels=(32,), norm_num_groups=8)
    train_once(net, lambda net: net(torch.randn(2, 3, 32, 32, device="cuda")).sample.square().mean())
