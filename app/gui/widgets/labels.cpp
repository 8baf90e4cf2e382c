#include "app/gui/widgets/labels.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/widgets/terms.h"

namespace tidemark::gui {
namespace {

constexpr auto kMeanings = std::to_array<LabelMeaning>({
    // Sources of figures.
    {"phantom peak", "The most that the same program had allocated on a GPU that does not exist."},
    {"phantom's peak",
     "What the phantom predicts of the peak; the run's figures are of the moment when memory ran out."},
    {"you, MB", "What you predicted, in millions of bytes."},
    {"this run", "What this run does on the phantom: predicted, as all there is."},
    {"diff.", "The run minus what the phantom predicted; = where they agree to the byte, amber where not."},
    {"%", "The share of what was allocated."},
    // Levels.
    {"driver", "What this process has from the CUDA driver, told by CUPTI."},
    {"process",
     "What the card reports of this process ten times a second; no line where that is less than what is "
     "reserved."},
    {"card",
     "What all processes use, as the card reports it ten times a second; no line where it is less than "
     "reserved."},
    {"the card has",
     "All memory of the card, as its driver tells it; its name is followed by the size that it is sold "
     "with."},
    {"above the axis", "Levels that lie above what the axis shows; card, at the top, makes room for them."},
    {"selected", "What is lit up in every panel; Esc takes it away."},
    // Phases and lanes.
    {"phase", "What the training loop is at: forward, backward, optimizer or evaluation."},
    {"forward", "The network computes its outputs, and keeps what backward will need."},
    {"backward", "Gradients are computed from the loss back, and what was kept is let go."},
    {"optimizer", "The optimizer moves the parameters along their gradients."},
    {"evaluation", "The network computes outputs without keeping anything for backward."},
    {"GPU", "What the card does: kernels, memory copies and memsets."},
    // Tables.
    {"category", "What a block holds."},
    {"layer", "A module of the network, under the name that it has there."},
    {"output", "The shape of the layer's output for one micro-batch."},
    {"computed in", "The type in which autocast had the layer's operators compute."},
    {"parameters", "The layer's weights and biases."},
    {"kept, textbook", "What the layer keeps for backward, computed from shapes."},
    {"kept by the run", "Activations of this layer that were alive at this moment."},
    {"gradients", "Gradients of the layer's parameters that were alive at this moment."},
    {"made again", "What the layer keeps only once backward has run it again."},
    {"share of all", "How much of everything that is alive this layer allocated, of every category."},
    {"setting", "What is otherwise: settings of the allocator, the card, its memory or what ran before."},
    {"unused", "The most that would be reserved, less the most that would be allocated."},
    {"failed", "Requests that would run out of memory."},
    {"what", "What is compared: a level, a category, a layer or an allocation."},
    {"first run", "The run that is shown, or what was before the change."},
    {"second run", "The run that was laid over it, or what was after the change."},
    {"difference", "The second minus the first; = where they agree to the byte."},
    {"tensor", "What the block holds, by the name that the program gives it."},
    {"shape", "The type and the sizes of the tensor that the block was made for."},
    {"holds", "The category of what the block holds."},
    {"block",
     "What was set aside: the request, rounded up to 512 B; a large one with a rest of 1 MiB at most."},
    {"operator", "The operator that asked for it, or the innermost line of code."},
    {"born", "The event at which it was allocated."},
    {"event", "Its place in the run's stream, whose order is the truth."},
    {"time", "Since the first event that is kept of the run."},
    {"kind", "What happened."},
    {"bytes", "The size that the event tells; a free tells none."},
    {"detail", "The tensor, the step, a marker's text: what the kind leaves open."},
    {"life", "The time from its allocation to its free."},
    {"address", "Where it lies in the card's memory."},
    // After an out of memory.
    {"asked for", "The request that could not be served."},
    {"free on the card", "What no process had taken of the card."},
    {"cached, in gaps", "What PyTorch had reserved, in pieces too small for the request."},
    {"context and others", "The CUDA context, and what other processes had taken of the card."},
    {"Largest owners", "What held the most when memory ran out."},
    {"Ways out", "The cheapest changes that would have made it fit."},
    // Statistics of a stretch.
    {"what happened", "To blocks, between the measuring cursors or in what the timeline shows."},
    {"how often", "How many blocks, or where."},
    {"bytes, in blocks", "What was requested, rounded up as the allocator does."},
    // Advice.
    {"With techniques",
     "The program on the same card as if its author had used them, beside the run that was shown."},
    {"What makes it fit, the cheapest first",
     "By a step's time; then what nearly fills the card, last another optimizer, which learns differently."},
    {"Memory against time", "Each point is a way to train that no other beats in both."},
    {"The same run, otherwise",
     "What it asked PyTorch's allocator for, asked again with other settings or memory."},
    {"On the card", "Its memory, and the CUDA context that it spends of it, are another card's."},
    {"With memory", "Memory of the card, such as 16GiB or 24GB."},
    {"Allocator", "What PYTORCH_CUDA_ALLOC_CONF would be: names and values, separated by commas."},
    {"Begins", "Whether blocks that a run before it gave back lie in the allocator's cache."},
    {"The lines that led here", "The stack of what the operator allocated first, from the innermost line."},
    {"What comes and goes", "Blocks that the operator allocates, names or frees."},
    {"Python", "The step as one writes it with PyTorch."},
    {"C++", "The same step as one writes it with LibTorch."},
    // Controls.
    {"Device", "The card, real or phantom, or the CPU."},
    {"Network", "What is trained."},
    {"Data", "Synthetic samples, or CIFAR-10."},
    {"Optimizer", "What it keeps for each parameter is memory."},
    {"Sample", "The shape of one, 3x224x224 for a picture, or how many tokens; Enter runs the file on it."},
    {"Batch", "Samples of a micro-batch: activations grow with it."},
    {"Accumulate", "Micro-batches whose gradients are added before a step."},
    {"Mixed precision", "Computing in 16 bits where that is safe: by autocast, or all in pure fp16."},
    {"Budget", "The most that forward may keep for backward."},
    {"Segments", "How many pieces the network is cut into, each of which runs again."},
    {"Layers in a segment", "How long the pieces are, each of which runs again."},
    {"Clip gradients", "Scales gradients down whose norm is too large."},
    {"Learning rate", "How far a step moves the parameters; it takes no memory."},
    {"Seed", "The same seed gives the same weights and data."},
    {"Pace", "How many steps a second are trained at most."},
    {"Presets", "Settings from lectures and papers, one click each."},
    {"by", "What the tree divides everything alive into, from the outside in."},
    {"Show", "Which files the list shows."},
    {"As", "The format, which the name's ending decides."},
    {"Runs on", "What the program computes on: this machine, or a phantom of a card."},
    {"Memory", "What the phantom's card has, instead of its own."},
    {"Command", "The program and its arguments, as in a terminal."},
    {"Recording", "The file that the run is written to, if any."},
    {"Sweep", "An option of the program and its values, each of which is run."},
    // A program's facts.
    {"Recorded by", "What wrote down the events."},
    {"Read from", "What kind of file, of another program's, told the events."},
    {"Card", "The card that the program saw."},
    {"Steps", "How often an optimizer stepped."},
    {"Graph replays", "How often it launched a captured CUDA graph; no replay allocates anything."},
    {"Allocated at the peak", "The most that PyTorch's blocks took at one moment."},
    {"Reserved at its highest", "The most that PyTorch's segments took at one moment."},
    {"Reserved on each card", "The most that PyTorch's segments took of each at one moment."},
    {"Reserved in other orders", "What would be reserved if the driver gave addresses in another order."},
    {"Of the card, with the context", "What it takes of the card, with what CUDA itself needs."},
    {"Of the fullest card, with the context",
     "What it takes of the card that it takes most of, with what CUDA itself needs."},
    {"Ended early", "Why the program did not reach its end."},
    {"Its error output", "The last lines that it wrote to its standard error."},
});

std::set<std::string>& Unexplained() {
  static std::set<std::string> labels;
  return labels;
}

}  // namespace

std::span<const LabelMeaning> LabelMeanings() { return kMeanings; }

std::string MeaningOfLabel(std::string_view label) {
  const auto found = std::ranges::find(kMeanings, label, &LabelMeaning::label);
  if (found != kMeanings.end()) return std::string(found->sentence);
  std::string meaning = MeaningOfTerm(label);
  if (meaning.empty()) Unexplained().emplace(label);
  return meaning;
}

const std::set<std::string>& UnexplainedLabels() { return Unexplained(); }

void ExplainLabel(std::string_view label) { Tooltip(MeaningOfLabel(label)); }

void PutLabel(const TextStyle& style, std::string_view text, Align align, std::string_view label) {
  if (align == Align::kRight) {
    PutRight(style, text);
  } else {
    Put(style, text);
  }
  MarkTerms(ImGui::GetItemRectMin(), style, text, TermHint::kNone);
  ExplainLabel(label.empty() ? text : label);
}

}  // namespace tidemark::gui
