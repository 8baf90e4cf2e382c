"""Every classification model of torchvision, and one of each other kind: a training step at batch 8, or as small as it takes."""

import importlib.util

from catalogue import program, train_once, weights_of_zero

# What they ask of their images; the others take 224.
SIZES = {"inception_v3": 299}


def add_classification(name):
    for suffix, autocast in (("", None), ("-fp16", "float16")):

        @program(f"torchvision-{name}{suffix}", needs=("torchvision",))
        def run(autocast=autocast):
            import torch
            import torchvision
            from torch.nn import functional as F

            options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
            with weights_of_zero():
                model = torchvision.models.get_model(name, weights=None, **options)
            size = SIZES.get(name) or getattr(model, "image_size", 224)
            images = torch.randn(8, 3, size, size, device="cuda")
            labels = torch.zeros(8, dtype=torch.long, device="cuda")

            def loss(model):
                out = model(images)
                heads = out if isinstance(out, tuple) else (out,)  # some have auxiliary ones
                return sum(F.cross_entropy(head, labels) for head in heads)

            optimizer = torch.optim.SGD(model.cuda().parameters(), 0.1, momentum=0.9)
            train_once(model, loss, autocast=autocast and getattr(torch, autocast), optimizer=optimizer)


def classification_models():
    if importlib.util.find_spec("torchvision") is None:
        return []
    import torchvision

    return torchvision.models.list_models(module=torchvision.models)


for name in classification_models():
    add_classification(name)


@program("torchvision-segmentation", needs=("torchvision",))
def segmentation():
    import torch
    import torchvision
    from torch.nn import functional as F

    model = torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None)
    images = torch.randn(2, 3, 128, 128, device="cuda")
    train_once(model, lambda net: F.cross_entropy(net(images)["out"], torch.zeros(2, 128, 128, dtype=torch.long, device="cuda")))


@program("torchvision-detection", needs=("torchvision",))
def detection():
    import torch
    import torchvision

    model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=3)
    images = [torch.rand(3, 200, 300, device="cuda")]
    targets = [{"boxes": torch.tensor([[1.0, 1.0, 90.0, 90.0]]).cuda(), "labels": torch.ones(1, dtype=torch.long, device="cuda")}]
    train_once(model, lambda net: sum(net(images, targets).values()))


@program("torchvision-boxes-that-remain", needs=("torchvision",), unlike_card="it checks what only a phantom answers")
def boxes_that_remain():
    """As on a card, where the boxes are known; else all, which is the most."""
    import torch
    import torchvision

    corners, features = torch.rand(2000, 2, generator=torch.Generator().manual_seed(0)) * 500, torch.ones(2000, 9, device="cuda")
    boxes, scores = torch.cat([corners, corners + 20], 1), torch.rand(2000, generator=torch.Generator().manual_seed(1))
    right = torchvision.ops.nms(boxes, scores, 0.5)
    remain = torchvision.ops.nms(boxes.cuda(), scores.cuda(), 0.5)
    assert 0 < len(right) < 2000 and remain.tolist() == right.tolist() and features[remain].shape == (len(right), 9)
    groups = torch.arange(2000) % 3
    assert torchvision.ops.batched_nms(boxes.cuda(), scores.cuda(), groups.cuda(), 0.5).tolist() == torchvision.ops.batched_nms(boxes, scores, groups, 0.5).tolist()
    one = torch.ones(1, 1, device="cuda")
    unknown = torch.ones(8000, 1, device="cuda") @ one
    assert torchvision.ops.nms(unknown.view(2000, 4), scores.cuda(), 0.5).shape == torchvision.ops.nms(boxes.cuda(), unknown[:2000, 0], 0.5).shape == (2000,)
    assert torchvision.ops.nms((torch.ones(40_000, 1, device="cuda") @ one).view(10_000, 4), torch.rand(10_000).cuda(), 0.5).shape == (10_000,)
    assert torchvision.ops.nms(boxes[:0].cuda(), scores[:0].cuda(), 0.5).shape == (0,) and torch.ones(9, device="cuda")[torch.arange(9, device="cuda") > 6].shape == (2,)


@program("torchvision-video", needs=("torchvision",))
def video():
    import torch
    import torchvision

    model = torchvision.models.video.r3d_18(weights=None)
    train_once(model, lambda net: net(torch.randn(2, 3, 8, 64, 64, device="cuda")).square().mean())
