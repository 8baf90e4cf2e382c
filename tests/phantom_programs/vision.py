"""Convolutional nets of every kind: residual, depthwise, transposed, 3d; a GAN; a U-Net; fp32, fp16 with scaling, channels last."""
import torch
from torch import nn

device = "cuda"


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return torch.relu(x + self.body(x))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(3, 16, 3, padding=1)
        self.down = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.middle = nn.Sequential(nn.GroupNorm(8, 32), nn.SiLU(), nn.Conv2d(32, 32, 3, padding=1), nn.Dropout(0.1))
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)
        self.up = nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1)
        self.leave = nn.Conv2d(32, 3, 3, padding=1)

    def forward(self, x):
        enter = self.enter(x)
        low = self.middle(self.down(enter))
        flat = low.flatten(2).transpose(1, 2)
        low = low + self.attention(flat, flat, flat)[0].transpose(1, 2).reshape(low.shape)
        up = nn.functional.interpolate(self.up(low), size=enter.shape[-2:], mode="bilinear")
        return self.leave(torch.cat([enter, up], 1))


def step(model, loss_of, amp=None, scaler=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast(device, amp or torch.float16, enabled=amp is not None):
            loss = loss_of()
        if scaler:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()


images = torch.randn(4, 3, 32, 32, device=device)
labels = torch.randint(0, 10, (4,), device=device)
for last in (False, True):
    net = nn.Sequential(nn.Conv2d(3, 16, 7, stride=2, padding=3), nn.MaxPool2d(3, 2, 1), Residual(16), Residual(16),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)).to(device)
    if last:
        net, images = net.to(memory_format=torch.channels_last), images.to(memory_format=torch.channels_last)
    for amp in (None, torch.float16, torch.bfloat16):
        scaler = torch.amp.GradScaler(device) if amp is torch.float16 else None
        step(net, lambda: nn.functional.cross_entropy(net(images), labels, label_smoothing=0.1), amp, scaler)

unet = UNet().to(device)
step(unet, lambda: nn.functional.mse_loss(unet(images), torch.randn_like(images)))

generator = nn.Sequential(nn.ConvTranspose2d(64, 32, 4), nn.BatchNorm2d(32), nn.LeakyReLU(0.2), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh()).to(device)
critic = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.InstanceNorm2d(16), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(256, 1)).to(device)
noise = torch.randn(4, 64, 1, 1, device=device)
step(critic, lambda: nn.functional.binary_cross_entropy_with_logits(critic(generator(noise).detach()), torch.zeros(4, 1, device=device)))
step(generator, lambda: nn.functional.binary_cross_entropy_with_logits(critic(generator(noise)), torch.ones(4, 1, device=device)))

video = nn.Sequential(nn.Conv3d(3, 8, 3, padding=1), nn.BatchNorm3d(8), nn.ReLU(), nn.AvgPool3d(2), nn.Flatten(), nn.Linear(8 * 2 * 8 * 8, 2)).to(device)
step(video, lambda: video(torch.randn(2, 3, 4, 16, 16, device=device)).square().mean())
