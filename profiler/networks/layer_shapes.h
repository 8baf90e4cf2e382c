// What each kind of layer makes of the shapes that come in: its output, and how many parameters it has. Its
// input is set, and its output the same; errors tell both what is there and what is wanted. Pure functions,
// used by layer_kinds.cpp only.
#pragma once

#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/layer.h"

namespace tidemark::networks {

Status FitConvolution(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitConvTranspose(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitLinear(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitSame(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitPool(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitAdaptivePool(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitBatchNorm(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitLayerNorm(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitDropout(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitFlatten(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitAdd(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitConcat(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitUpsample(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitEmbedding(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitTable(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitClassToken(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitToSequence(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitFirstToken(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitAttention(Layer& layer, const std::vector<SampleShape>& incoming);
Status FitLstm(Layer& layer, const std::vector<SampleShape>& incoming);

}  // namespace tidemark::networks
