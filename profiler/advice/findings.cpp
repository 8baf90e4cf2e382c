#include "profiler/advice/findings.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "profiler/advice/examined_steps.h"
#include "profiler/advice/kept_outputs.h"
#include "profiler/advice/kept_results.h"
#include "profiler/advice/loss_scores.h"
#include "profiler/advice/optimizer_work.h"
#include "profiler/advice/pool_memory.h"
#include "profiler/advice/step_spikes.h"
#include "profiler/advice/unused_memory.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"
#include "profiler/events/tensor_names.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::advice {
namespace {

using events::Category;
using events::Event;
using events::EventKind;
using timeline::EventIndex;
using timeline::LiveBlock;
using timeline::Series;
using timeline::SeriesOf;
using timeline::Step;
using timeline::ValueOf;
using timeline::View;

// Of an evaluation that goes on as long as it likes: the next batch is not as far away.
constexpr EventIndex kMostEvents = 1'000'000;
// As many rises in a row happen by no batch of another size.
constexpr size_t kStepsOfGrowth = 5;
// What ends a run sooner or later comes before what only costs it memory.
std::pair<bool, int64_t> RankOf(const Finding& finding) {
  const bool ends_runs = finding.grows || finding.kind == FindingKind::kKeptGraph || finding.ran_out;
  return {ends_runs, finding.bytes};
}

std::string Counted(size_t count, std::string_view one, std::string_view more) {
  return FormatNumber(static_cast<int64_t>(count)) + " " + std::string(count == 1 ? one : more);
}

class Examination {
 public:
  Examination(const View& view, ByteUnit unit, int64_t card_bytes)
      : view_(view), unit_(unit), card_bytes_(card_bytes), steps_(ExaminedStepsOf(view)) {}

  std::vector<Finding> Findings() && {
    if (!steps_.steady.empty()) {
      const std::optional<int64_t> growth = Growth();
      const bool is_a_graph = FindKeptGraph(growth.has_value());
      if (growth && !is_a_graph) AddGrowth(*growth);
      if (growth) findings_.back().grows = true;
      FindKeptGradients();
      FindLargeWorkspace();
      Add(FirstStepSpike(view_, steps_, unit_));
      // Where graphs are kept the last of a few steps needs the most, too.
      if (!is_a_graph && !GrowsWithSteps(findings_)) Add(LaterStepSpike(view_, steps_, unit_));
      FindTypeCopies();
      FindAtPeakOfSteps();
    }
    Add(KeptOutputs(view_, unit_));
    FindUnusedGraph();
    Add(UnusedMemory(view_, unit_, card_bytes_));
    Add(PoolMemory(view_, unit_, card_bytes_));
    std::ranges::stable_sort(findings_, std::ranges::greater(), RankOf);
    return std::move(findings_);
  }

 private:
  std::string Size(int64_t bytes) const { return FormatBytes(bytes, unit_); }
  const Step& last() const { return steps_.steady.back(); }

  void Add(FindingKind kind, int64_t bytes, EventIndex moment, std::string evidence, std::string advice,
           std::vector<EventIndex> allocations = {}) {
    findings_.push_back(
        {kind, std::move(evidence), std::move(advice), bytes, moment, std::move(allocations)});
  }

  void Add(std::optional<Finding> finding) {
    if (finding) findings_.push_back(std::move(*finding));
  }

  int64_t AllocatedAfter(const Step& step) const {
    return ValueOf(view_.ValuesAt(step.end), Series::kAllocated);
  }

  events::Phase PhaseAt(EventIndex index) const {
    const auto& phases = view_.phases();
    const auto behind =
        std::upper_bound(phases.begin(), phases.end(), index,
                         [](EventIndex at, const timeline::PhaseSpan& phase) { return at < phase.begin; });
    return behind == phases.begin() ? events::Phase::kIdle : std::prev(behind)->phase;
  }

  // What steps made and the end of the last one still finds alive; not its batch, which is made before it.
  std::vector<LiveBlock> Survivors(const std::function<bool(const LiveBlock&)>& of) const {
    const EventIndex end = steps_.steady.size() > 1 ? std::prev(steps_.steady.end(), 2)->end : last().begin;
    return BornAndAlive(steps_.steady.front().begin, end, of);
  }

  std::vector<LiveBlock> BornAndAlive(EventIndex begin, EventIndex end,
                                      const std::function<bool(const LiveBlock&)>& of) const {
    std::vector<LiveBlock> survivors;
    const timeline::State state =
        timeline::SettledStateAt(view_, last().end, std::min(last().end + 1, view_.end()));
    for (const LiveBlock& block : timeline::CountedBlocks(state)) {
      if (block.born >= begin && block.born < end && of(block)) survivors.push_back(block);
    }
    return survivors;
  }

  // By how much what is allocated after a step grew; nothing unless it does so steadily.
  std::optional<int64_t> Growth() const {
    if (steps_.steady.size() < kStepsOfGrowth) return {};
    size_t rises = 0;
    int64_t before = AllocatedAfter(steps_.steady.front());
    const int64_t at_first = before;
    for (const Step& step : std::span(steps_.steady).subspan(1)) {
      const int64_t after = AllocatedAfter(step);
      if (after < before) return {};
      rises += after > before ? 1 : 0;
      before = after;
    }
    if (2 * rises < steps_.steady.size()) return {};
    return before - at_first;
  }

  void AddGrowth(int64_t growth) {
    const auto span = static_cast<int64_t>(steps_.steady.size()) - 1;
    const std::vector<LiveBlock> survivors = Survivors([](const LiveBlock&) { return true; });
    const std::vector<EventIndex> births = BirthsOf(survivors);
    Add(FindingKind::kGrowth, growth, last().end,
        "After step " + FormatNumber(last().number) + ", " + Size(growth) +
            " more are allocated than after step " + FormatNumber(steps_.steady.front().number) + " (" +
            Size(AllocatedAfter(steps_.steady.front())) + "): " + Size(growth / span) +
            " more with each step, and never less. " +
            Counted(survivors.size(), "allocation", "allocations") + " of earlier steps " +
            (survivors.size() == 1 ? "is" : "are") + " still alive." + MostIsMadeBy(view_, births),
        survivors.empty()
            ? "Nothing stays that earlier steps made: what a step makes anew is larger each time, as a cache "
              "that torch.cat makes longer. Keep it in pieces on the CPU (.cpu()), or bound its length."
            : "Look what keeps them: tensors in a list or a running sum; store numbers (loss.item()) "
              "instead, "
              "or what has to stay on the CPU (.cpu()): .detach() keeps a tensor's memory.",
        births);
  }

  // From that one on those whose survivors are told.
  std::string StepsBeforeLast(int64_t first) const {
    const int64_t before_last = std::prev(steps_.steady.end(), 2)->number;
    if (first == before_last) return "step " + FormatNumber(first);
    return "steps " + FormatNumber(first) + " to " + FormatNumber(before_last);
  }

  // What the first step keeps, and those after it that are not examined, as later ones keep theirs: from
  // there, of that size.
  std::vector<LiveBlock> LikeOfFirst(const std::vector<LiveBlock>& kept,
                                     const std::function<bool(const LiveBlock&)>& of) const {
    if (!steps_.first) return {};
    const auto likeness = [](const LiveBlock& block) {
      return std::tuple(block.layer, block.op, block.rounded_bytes);
    };
    std::set<std::tuple<events::NameId, events::NameId, int64_t>> alike;
    for (const LiveBlock& block : kept) alike.insert(likeness(block));
    return BornAndAlive(steps_.first->begin, steps_.steady.front().begin,
                        [&](const LiveBlock& block) { return of(block) && alike.contains(likeness(block)); });
  }

  // What was saved for the backward of a step that is over: nobody ran that backward, or ran it with
  // retain_graph=True, and something still refers to the graph. A batch is made before its step, and its loop
  // still holds it after.
  bool FindKeptGraph(bool grows) {
    const auto is_saved = [this](const LiveBlock& block) {
      return block.category == Category::kActivation && PhaseAt(block.born) != events::Phase::kIdle;
    };
    std::vector<LiveBlock> kept = Survivors(is_saved);
    if (kept.empty() || (!grows && !IsWorthTelling(BytesOf(kept), AllocatedPeak(last())))) return false;
    if (AreKeptResults(view_, kept, last().end)) return false;
    const std::vector<LiveBlock> of_first = LikeOfFirst(kept, is_saved);
    kept.insert(kept.end(), of_first.begin(), of_first.end());
    const std::vector<EventIndex> births = BirthsOf(kept);
    Add(FindingKind::kKeptGraph, BytesOf(kept), last().end,
        Counted(kept.size(), "tensor that was", "tensors that were") + " saved for the backward of " +
            StepsBeforeLast(
                of_first.empty()
                    ? steps_.steady.front().number
                    : timeline::LatestStepAt(view_, std::ranges::min(of_first, {}, &LiveBlock::born).born)
                          ->number) +
            " " + (kept.size() == 1 ? "is" : "are") + " alive after step " + FormatNumber(last().number) +
            ": " + Size(BytesOf(kept)) + "." + MostIsMadeBy(view_, births),
        "Something refers to that step's graph: keep loss.item() or loss.detach() instead of loss, leave "
        "retain_graph out, and evaluate under torch.no_grad().",
        births);
    return true;
  }

  // Whether something is saved for a backward after that.
  bool SavesAfter(EventIndex index) const {
    const EventIndex end = std::min(view_.end(), index + kMostEvents);
    for (EventIndex at = std::max(index, view_.first()); at < end; ++at) {
      const Event& event = view_.event(at);
      const bool tells = event.kind == EventKind::kAllocate || event.kind == EventKind::kCategorize;
      if (tells && event.category == Category::kActivation) return true;
    }
    return false;
  }

  EventIndex EndOfSteps() const {
    if (!steps_.steady.empty()) return last().end;
    return steps_.first ? steps_.first->end : view_.first();
  }

  // The most that one step saved; nothing where none is known.
  int64_t SavedByStep() const {
    if (steps_.steady.empty()) return 0;
    const View::Peak peak = view_.PeakIn(SeriesOf(Category::kActivation), last().begin, last().end);
    return ValueOf(peak.values, SeriesOf(Category::kActivation));
  }

  // What an evaluation saved, without steps or after them, though no backward ran: what it let go and the
  // next batch saved again, or kept beyond what a step saves. (A forward that ends for want of memory or by
  // another error lets go all and saves no more; for want of memory, one of a larger batch, too.)
  void FindUnusedGraph() {
    if (view_.phases().empty()) return;  // nobody told of any: one may have run
    const EventIndex begin = EndOfSteps();
    const bool has_backward = std::ranges::any_of(view_.phases(), [&](const timeline::PhaseSpan& span) {
      return span.phase == events::Phase::kBackward && span.begin >= begin;
    });
    if (has_backward || begin >= view_.end()) return;
    const EventIndex peak = view_.PeakIn(SeriesOf(Category::kActivation), begin, view_.end()).index;
    std::vector<LiveBlock> let_go;
    std::vector<LiveBlock> kept;
    EventIndex first_freed = view_.end();
    const timeline::State state = timeline::SettledStateAt(view_, peak, timeline::SettledBy(view_, peak));
    for (const LiveBlock& block : timeline::CountedBlocks(state)) {
      if (block.category != Category::kActivation || block.born < begin) continue;
      const std::optional<EventIndex> freed = view_.StopsCountingAt(block.born);
      (freed ? let_go : kept).push_back(block);
      first_freed = std::min(first_freed, freed.value_or(view_.end()));
    }
    const int64_t of_step = SavedByStep();
    if (of_step > 0 && BytesOf(kept) > of_step && session::WentOnAfterFailures(view_, begin)) {
      std::ranges::move(kept, std::back_inserter(let_go));
    } else if (!SavesAfter(first_freed)) {
      return;
    }
    AddUnusedGraph(std::move(let_go), peak);
  }

  void AddUnusedGraph(std::vector<LiveBlock> blocks, EventIndex peak) {
    const int64_t bytes = BytesOf(blocks);
    const int64_t allocated = ValueOf(view_.ValuesAt(peak), Series::kAllocated);
    if (bytes == 0 || !IsWorthTelling(bytes, allocated)) return;
    const std::vector<EventIndex> births = BirthsOf(std::move(blocks));
    const std::string when = EndOfSteps() > view_.first() ? ", after the last step," : "";
    Add(FindingKind::kUnusedGraph, bytes, peak,
        Size(bytes) + " of " + Size(allocated) + " were saved" + when + " for a backward that never ran." +
            MostIsMadeBy(view_, births),
        "Evaluate under torch.no_grad() or torch.inference_mode(): each layer's output is then freed as soon "
        "as the next one has read it. model.eval() alone records the graph all the same.",
        births);
  }

  // What would lower the run's peak, where it is theirs.
  void FindAtPeakOfSteps() {
    const auto lower = [](const Step& one, const Step& other) {
      return AllocatedPeak(one) < AllocatedPeak(other);
    };
    const Step& highest = *std::max_element(steps_.steady.rbegin(), steps_.steady.rend(), lower);
    const View::Peak peak = view_.PeakIn(Series::kAllocated, view_.first(), view_.end());
    const int64_t of_run = ValueOf(peak.values, Series::kAllocated);
    if (IsWorthTelling(of_run - AllocatedPeak(highest), of_run)) return;
    Add(OptimizerWork(view_, highest, unit_));
    Add(LossScores(view_, highest, unit_));
  }

  // Where it begins in the last step for the first time.
  std::optional<EventIndex> BeginInLast(events::Phase wanted) const {
    std::optional<EventIndex> begin;
    for (size_t i = view_.phases().size(); i-- > 0;) {
      const timeline::PhaseSpan& phase = view_.phases()[i];
      if (phase.end <= last().begin) break;
      const bool is_within = phase.begin >= last().begin && phase.begin < last().end;
      if (is_within && phase.phase == wanted) begin = phase.begin;
    }
    return begin;
  }

  // The last of them that the step frees; of those that it does not, where their own step needs them again.
  EventIndex NeededFrom(const std::vector<LiveBlock>& gradients, bool nobodys) const {
    EventIndex freed = 0;
    for (const LiveBlock& gradient : gradients) {
      const EventIndex at = view_.StopsCountingAt(gradient.born).value_or(view_.end());
      if (at < last().end) freed = std::max(freed, at);
    }
    if (freed > 0) return freed;
    return nobodys ? last().end : BeginInLast(events::Phase::kOptimizer).value_or(last().end);
  }

  // By how much the last step's peak falls where so much is not there before that.
  int64_t GainBefore(EventIndex index, int64_t bytes) const {
    const auto peak_in = [&](EventIndex begin, EventIndex end) {
      return ValueOf(view_.PeakIn(Series::kAllocated, begin, end).values, Series::kAllocated);
    };
    return AllocatedPeak(last()) - std::max(peak_in(last().begin, index) - bytes, peak_in(index, last().end));
  }

  // Those of the step before, while forward saves most of what it saves, where there is room for both. What
  // backward saves or makes after they are freed may need as much: then there is nothing to gain.
  void FindKeptGradients() {
    // All that forward saved is alive there.
    const std::optional<EventIndex> end = BeginInLast(events::Phase::kBackward);
    if (!end) return;
    std::vector<LiveBlock> gradients;
    const timeline::State state = view_.StateAt(last().begin);
    for (const LiveBlock& block : timeline::CountedBlocks(state)) {
      if (block.category == Category::kGradient) gradients.push_back(block);
    }
    const int64_t kept = BytesOf(gradients);
    if (!IsWorthTelling(kept, AllocatedPeak(last()))) return;
    const bool nobodys = AreOfNoOptimizer(gradients);
    const int64_t gain = GainBefore(NeededFrom(gradients, nobodys), kept);
    if (!IsWorthTelling(gain, AllocatedPeak(last()))) return;
    const std::vector<EventIndex> births = BirthsOf(std::move(gradients));
    const EventIndex freed = view_.StopsCountingAt(births.front()).value_or(view_.end());
    const EventIndex moment = std::min(freed - 1, *end);
    const auto others = [&](EventIndex index) {
      const timeline::SeriesValues values = view_.ValuesAt(index);
      return ValueOf(values, Series::kAllocated) - ValueOf(values, SeriesOf(Category::kGradient));
    };
    const int64_t saved = others(*end) - others(last().begin);
    if (saved <= 0 || 2 * (others(moment) - others(last().begin)) < saved) return;
    Add(FindingKind::kKeptGradients, kept, moment,
        "In step " + FormatNumber(last().number) + ", " + Size(kept) + " of gradients " +
            (nobodys ? "that no optimizer uses" : "of the step before") +
            " are alive while forward runs, beside what it saves: without them there its peak is " +
            Size(gain) + " lower.",
        nobodys
            ? "Let nobody compute them: run what they are of under torch.no_grad(), or requires_grad_(False) "
              "on it."
            : "Free them before the model is called: optimizer.zero_grad(set_to_none=True), or del what "
              "torch.autograd.grad returned.",
        births);
  }

  // Most of them are of parameters for which no optimizer keeps anything, though one does for others.
  bool AreOfNoOptimizer(const std::vector<LiveBlock>& gradients) const {
    std::set<std::string, std::less<>> stepped;  // as their gradients are called
    const timeline::State state = view_.StateAt(last().begin);
    for (const LiveBlock& block : timeline::CountedBlocks(state)) {
      const std::string_view name = view_.name(block.name);
      const bool is_of_known =
          block.category == Category::kOptimizerState && !events::LayerOfTensor(name).empty();
      if (is_of_known) stepped.insert(events::GradientName(name));
    }
    if (stepped.empty()) return false;
    std::vector<LiveBlock> nobodys;
    for (const LiveBlock& gradient : gradients) {
      const std::string_view name = view_.name(gradient.name);
      const bool is_of_one = !events::LayerOfTensor(name).empty() && !name.ends_with(events::kShardEnding);
      if (is_of_one && !stepped.contains(name)) nobodys.push_back(gradient);
    }
    return BytesOf(nobodys) > BytesOf(gradients) / 2;
  }

  // cuBLAS takes as much for whatever it multiplies, so that is worth a word only where it is a part of the
  // card; cuDNN's grow with what they are for.
  void FindLargeWorkspace() {
    const EventIndex begin = steps_.steady.front().begin;
    const auto peak_of = [&](Category category) {
      return view_.PeakIn(SeriesOf(category), begin, last().end);
    };
    const int64_t activations =
        ValueOf(peak_of(Category::kActivation).values, SeriesOf(Category::kActivation));
    const View::Peak workspaces = peak_of(Category::kWorkspace);
    const EventIndex moment = workspaces.index;
    const auto is_large = [&](int64_t bytes) {
      return activations > 0 && bytes > activations && IsWorthTelling(bytes, AllocatedPeak(last()));
    };
    if (!is_large(ValueOf(workspaces.values, SeriesOf(Category::kWorkspace)))) return;
    std::vector<LiveBlock> of_cublas;
    std::vector<LiveBlock> of_cudnn;
    const timeline::State state = view_.StateAt(moment);
    for (const LiveBlock& block : timeline::CountedBlocks(state)) {
      if (block.category == Category::kWorkspace)
        (IsOfCudnn(view_, block) ? of_cudnn : of_cublas).push_back(block);
    }
    if (card_bytes_ == 0 || BytesOf(of_cublas) < card_bytes_ / kShareOfCard) of_cublas.clear();
    if (!is_large(SaturatingSum(BytesOf(of_cublas), BytesOf(of_cudnn)))) return;
    AddLargeWorkspace(std::move(of_cublas), std::move(of_cudnn), moment, activations);
  }

  void AddLargeWorkspace(std::vector<LiveBlock> of_cublas, std::vector<LiveBlock> of_cudnn, EventIndex moment,
                         int64_t activations) {
    std::string makers;
    std::string advice;
    if (!of_cublas.empty()) {
      makers = "cuBLAS";
      advice = "CUBLAS_WORKSPACE_CONFIG makes cuBLAS's smaller (:16:8, say).";
    }
    if (!of_cudnn.empty()) {
      makers += makers.empty() ? "cuDNN" : " and cuDNN";
      advice += std::string(advice.empty() ? "" : " ") +
                "A smaller batch makes cuDNN's smaller; where torch.backends.cudnn.benchmark is True, False "
                "keeps it from trying plans with large ones.";
    }
    std::ranges::move(of_cudnn, std::back_inserter(of_cublas));
    const int64_t bytes = BytesOf(of_cublas);
    Add(FindingKind::kLargeWorkspace, bytes, moment,
        "Scratch memory of " + makers + " takes up to " + Size(bytes) +
            "; all that is saved for backward takes up to " + Size(activations) + ".",
        advice, BirthsOf(std::move(of_cublas)));
  }

  static bool IsTypeCopy(std::string_view op) {
    return op == "aten::to" || op == "aten::_to_copy" || op == "aten::type_as";
  }
  // Autocast's copies of weights are made once and are what autocast is; a batch comes from the host; sharded
  // gradients are added up in the type that they are reduced in. Where nobody tells what a copy holds, as in
  // a memory snapshot, it may be one of these.
  static bool IsMeant(Category category) {
    return category == Category::kAutocastCache || category == Category::kInput ||
           category == Category::kGradient || category == Category::kUnknown;
  }

  // Of the last step.
  std::vector<LiveBlock> TypeCopies() const {
    std::vector<LiveBlock> copies;
    std::unordered_map<uint64_t, size_t> latest;  // by address: the place of the copy that is there
    for (EventIndex index = std::max(last().begin, view_.first()); index < last().end; ++index) {
      const Event& event = view_.event(index);
      if (event.kind == EventKind::kCategorize) {
        const auto copy = latest.find(event.address);
        if (copy != latest.end()) copies[copy->second].category = event.category;
      }
      if (event.kind != EventKind::kAllocate) continue;
      latest.erase(event.address);
      if (!IsTypeCopy(events::InnermostFrame(view_.name(event.op)))) continue;
      latest.emplace(event.address, copies.size());
      LiveBlock copy;
      copy.rounded_bytes = event.rounded_bytes;
      copy.layer = event.layer;
      copy.category = event.category;
      copy.born = index;
      copies.push_back(copy);
    }
    std::erase_if(copies, [](const LiveBlock& copy) { return IsMeant(copy.category); });
    return copies;
  }

  // Where most of the copies' bytes are made decides what helps: by what the model's forward has computed, as
  // the logits that a loss is computed of; by the optimizer; or elsewhere, of a batch that was sent in
  // another type, say.
  std::string AdviceOnCopies(const std::vector<LiveBlock>& copies) const {
    const auto most_are = [&](const auto& of) {
      std::vector<LiveBlock> some;
      std::ranges::copy_if(copies, std::back_inserter(some), of);
      return BytesOf(some) > BytesOf(copies) / 2;
    };
    const std::string under_autocast = ", and keep layers that autocast runs in float32 next to each other.";
    if (most_are([&](const LiveBlock& copy) { return PhaseAt(copy.born) == events::Phase::kOptimizer; })) {
      return "The optimizer makes them: it keeps in another type than it computes in. Let it compute for "
             "some parameters at a time, so that fewer of them are alive at once.";
    }
    if (most_are([&](const LiveBlock& copy) {
          return copy.layer != 0 && PhaseAt(copy.born) == events::Phase::kForward;
        })) {
      return "The model makes them itself: where they are its scores, made float32 for the loss, compute the "
             "loss of some tokens or samples at a time" +
             (UsesAutocast() ? under_autocast : std::string("."));
    }
    return "A tensor that arrives in the type that is needed is not copied: make the batch " +
           (UsesAutocast() ? "half precision before it is sent" + under_autocast
                           : std::string("of that type before it is sent."));
  }

  bool UsesAutocast() const {
    const View::Peak kept = view_.PeakIn(SeriesOf(Category::kAutocastCache), view_.first(), view_.end());
    return ValueOf(kept.values, SeriesOf(Category::kAutocastCache)) > 0;
  }

  void FindTypeCopies() {
    const std::vector<LiveBlock> copies = TypeCopies();
    const int64_t bytes = BytesOf(copies);
    if (!IsWorthTelling(bytes, AllocatedPeak(last()))) return;
    std::map<std::string_view, int64_t> by_layer;
    for (const LiveBlock& copy : copies) by_layer[view_.name(copy.layer)] += copy.rounded_bytes;
    const auto most = std::ranges::max_element(by_layer, {}, [](const auto& entry) { return entry.second; });
    const bool is_of_one = !most->first.empty() && most->second > bytes / 2;
    const std::string where = is_of_one ? ", most of it in " + std::string(most->first) : "";
    const std::vector<EventIndex> births = BirthsOf(copies);
    Add(FindingKind::kTypeCopies, bytes, copies.front().born,
        "Step " + FormatNumber(last().number) + " makes " + Counted(copies.size(), "copy", "copies") +
            " of tensors in another type, " + Size(bytes) + " in all" + where + "." +
            (where.empty() ? MostIsMadeBy(view_, births) : ""),
        AdviceOnCopies(copies), births);
  }

  const View& view_;
  const ByteUnit unit_;
  const int64_t card_bytes_;
  const ExaminedSteps steps_;
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view TitleOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kGrowth:
      return "Memory grows from step to step";
    case FindingKind::kKeptGraph:
      return "Graphs of earlier steps are kept";
    case FindingKind::kUnusedGraph:
      return "A graph is recorded that no backward uses";
    case FindingKind::kKeptGradients:
      return "Gradients stay while forward runs";
    case FindingKind::kFragmentation:
      return "Reserved memory that nothing could use";
    case FindingKind::kOutOfReach:
      return "Free memory out of reach";
    case FindingKind::kLargeWorkspace:
      return "Workspaces are larger than activations";
    case FindingKind::kFirstStepSpike:
      return "The first step needs more than all others";
    case FindingKind::kLaterStepSpike:
      return "A later step needs more than the others";
    case FindingKind::kTypeCopies:
      return "Copies between types";
    case FindingKind::kKeptOutputs:
      return "Outputs of earlier passes are kept";
    case FindingKind::kOptimizerWork:
      return "The optimizer's step needs the most";
    case FindingKind::kLossScores:
      return "Scores for the loss are there several times";
    case FindingKind::kPoolMemory:
      return "Private pools keep memory for themselves";
  }
  return "";
}

std::string_view KeyOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kGrowth:
      return "growth";
    case FindingKind::kKeptGraph:
      return "kept_graph";
    case FindingKind::kUnusedGraph:
      return "unused_graph";
    case FindingKind::kKeptGradients:
      return "kept_gradients";
    case FindingKind::kFragmentation:
      return "fragmentation";
    case FindingKind::kOutOfReach:
      return "out_of_reach";
    case FindingKind::kLargeWorkspace:
      return "large_workspace";
    case FindingKind::kFirstStepSpike:
      return "first_step_spike";
    case FindingKind::kLaterStepSpike:
      return "later_step_spike";
    case FindingKind::kTypeCopies:
      return "type_copies";
    case FindingKind::kKeptOutputs:
      return "kept_outputs";
    case FindingKind::kOptimizerWork:
      return "optimizer_work";
    case FindingKind::kLossScores:
      return "loss_scores";
    case FindingKind::kPoolMemory:
      return "pool_memory";
  }
  return "";
}

std::vector<Finding> FindingsIn(const View& view, ByteUnit unit, int64_t card_bytes) {
  if (view.empty()) return {};
  return Examination(view, unit, card_bytes).Findings();
}

bool GrowsWithSteps(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, &Finding::grows);
}

}  // namespace tidemark::advice
