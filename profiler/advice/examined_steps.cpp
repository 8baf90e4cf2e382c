#include "profiler/advice/examined_steps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "profiler/advice/findings.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"

namespace tidemark::advice {
namespace {

using timeline::EventIndex;

constexpr int64_t kWorthTellingBytes = int64_t{4} << 20;
constexpr int64_t kWorthTellingShare = 20;  // 1/20

// As people look for it: the line of their program, else the operator.
std::string MakerOf(const timeline::View& view, EventIndex birth) {
  if (birth < view.first()) return "";
  const std::string_view stack = view.name(view.event(birth).op);
  const std::string_view line = events::InnermostLine(stack);
  if (!line.empty()) return "at " + std::string(line);
  const std::string_view operation = events::InnermostFrame(stack);
  return operation.empty() ? "" : "by " + std::string(operation);
}

int64_t BytesMadeAt(const timeline::View& view, EventIndex birth) {
  return birth < view.first() ? 0 : view.event(birth).rounded_bytes;
}

void Add(int64_t bytes, int64_t& sum) { sum = SaturatingSum(sum, bytes); }

}  // namespace

ExaminedSteps ExaminedStepsOf(const timeline::View& view) {
  ExaminedSteps result;
  const auto& steps = view.steps();
  for (size_t i = steps.size(); i-- > 0;) {
    const timeline::Step& step = steps[i];
    if (step.settings != steps[steps.size() - 1].settings) break;
    if (!step.complete) continue;
    if (!result.steady.empty() && step.number >= result.steady.back().number) break;  // before a restart
    if (step.number == 0) {
      result.first = step;
      break;
    }
    if (result.steady.size() < kMostSteps) result.steady.push_back(step);
  }
  std::ranges::reverse(result.steady);
  return result;
}

int64_t BytesOf(const std::vector<timeline::LiveBlock>& blocks) {
  int64_t bytes = 0;
  for (const timeline::LiveBlock& block : blocks) bytes = SaturatingSum(bytes, block.rounded_bytes);
  return bytes;
}

int64_t AllocatedPeak(const timeline::Step& step) {
  return timeline::ValueOf(step.at_peak, timeline::Series::kAllocated);
}

bool IsWorthTelling(int64_t bytes, int64_t of_bytes) {
  return bytes >= kWorthTellingBytes && bytes >= of_bytes / kWorthTellingShare;
}

bool IsOfCudnn(const timeline::View& view, const timeline::LiveBlock& block) {
  return block.category == events::Category::kWorkspace && view.name(block.name).starts_with("cuDNN");
}

std::vector<EventIndex> BirthsOf(std::vector<timeline::LiveBlock> blocks) {
  std::ranges::stable_sort(blocks, std::ranges::greater(), &timeline::LiveBlock::rounded_bytes);
  if (blocks.size() > kMostAllocations) blocks.resize(kMostAllocations);
  std::vector<EventIndex> births;
  births.reserve(blocks.size());
  for (const timeline::LiveBlock& block : blocks) births.push_back(block.born);
  return births;
}

std::string MostIsMadeBy(const timeline::View& view, const std::vector<EventIndex>& births,
                         const std::vector<EventIndex>& others) {
  std::map<std::string, int64_t> makers;
  for (const EventIndex birth : births) Add(BytesMadeAt(view, birth), makers[MakerOf(view, birth)]);
  for (const EventIndex birth : others) Add(-BytesMadeAt(view, birth), makers[MakerOf(view, birth)]);
  int64_t bytes = 0;
  for (const auto& [maker, made] : makers) Add(std::max<int64_t>(made, 0), bytes);
  const auto most = std::ranges::max_element(makers, {}, [](const auto& maker) { return maker.second; });
  if (most == makers.end() || most->first.empty() || most->second <= bytes / 2) return "";
  return " Most of it is made " + most->first + ".";
}

}  // namespace tidemark::advice
