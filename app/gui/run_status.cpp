#include "app/gui/run_status.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/presenters/moment/settings_change.h"
#include "app/presenters/run/program_facts.h"
#include "app/presenters/run/run_end.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {

using session::RunState;

namespace {

// A run may have changed its network since it described itself.
std::string TitleWithNetwork(const events::RunDescription& description, const std::string& name,
                             const std::vector<networks::Network>& networks) {
  const networks::Network* const network = networks::NetworkNamed(networks, name);
  return network == nullptr ? description.title : presenters::TitleWithName(description, network->title);
}

// Of a program's last words, which advise at length, the first sentences: the Program panel has all of them,
// and a banner lies over others.
std::string InShort(const std::string& sentence) {
  constexpr size_t kMost = 240;
  const size_t end = sentence.size() <= kMost ? std::string::npos : sentence.rfind(". ", kMost);
  return end == std::string::npos ? sentence : sentence.substr(0, end + 1) + " Program has all of it.";
}

// PyTorch counts in MiB and GiB, whatever the window tells sizes in.
std::string WithUnitTold(const std::string& sentence, ByteUnit unit) {
  const bool is_binary =
      sentence.find(" GiB") != std::string::npos || sentence.find(" MiB") != std::string::npos;
  if (!is_binary || unit != ByteUnit::kMegabytes) return sentence;
  return sentence + " (1 GiB is " + FormatBytes(int64_t{1} << 30, unit) +
         "; U tells all sizes in MiB and GiB.)";
}

presenters::EndNotice NoticeOf(const SceneInput& input) {
  const auto* const view = input.view.get();
  switch (input.origin) {
    case RunOrigin::kOpened:
      return presenters::NoticeOfOpened(input.status, input.description, view);
    case RunOrigin::kFollowed:
      return presenters::NoticeOfFollowed(input.status, input.description, view);
    default:
      return presenters::NoticeOfRun(input.status, view);
  }
}

}  // namespace

std::string StatusText(const SceneInput& input) {
  if (input.starting) return "starting";
  if (input.origin == RunOrigin::kNotOpened) return "not opened";
  if (input.origin == RunOrigin::kNone)
    return input.status.state == RunState::kFailed ? "not started" : "no run";
  if (Follows(input)) {
    if (input.status.sentence.empty()) return "recording grows";
    return input.status.state == RunState::kStarting ? "recording awaited" : "recording stands still";
  }
  if (input.origin == RunOrigin::kFollowed) return "recording ended";
  if (input.origin == RunOrigin::kOpened) return "opened file";
  switch (input.status.state) {
    case RunState::kStarting:
      return "starting";
    case RunState::kRunning:
      return "running";
    case RunState::kPaused:
      return "paused";
    case RunState::kFinished:
      return presenters::IsProgram(input.description) ? "ended" : "stopped";
    case RunState::kFailed:
      return input.status.out_of_memory ? "out of memory" : "failed";
    case RunState::kDied:
      break;
  }
  return "died";
}

StatusTone ToneOf(const SceneInput& input, const Banner& banner) {
  if (input.origin == RunOrigin::kOpened) return StatusTone::kQuiet;  // whatever became of it was long ago
  if (!banner.sentence.empty()) return banner.bad ? StatusTone::kBad : StatusTone::kQuiet;
  return GoesOn(input) && input.status.state == RunState::kRunning ? StatusTone::kGood : StatusTone::kQuiet;
}

std::string WindowTitle(const SceneInput& input) {
  std::string what = IsRecording(input) ? input.recording : input.description.title;
  if (input.live) what = TitleWithNetwork(input.description, input.settings.network, *input.networks);
  return what.empty() ? "Tidemark" : "Tidemark · " + what;
}

std::string TitleOfRun(const session::Run& run, const std::vector<networks::Network>& networks) {
  const auto settings = presenters::LastSettings(*run.view());
  return settings ? TitleWithNetwork(run.description(), settings->network, networks)
                  : run.description().title;
}

Banner BannerOf(const SceneInput& input, ByteUnit unit) {
  const auto* const view = input.view.get();
  const presenters::EndNotice notice = NoticeOf(input);
  Banner banner;
  if (!notice.bad && input.status.state > RunState::kPaused) return banner;  // told as it comes
  banner.sentence = WithUnitTold(
      presenters::IsProgram(input.description) ? InShort(notice.sentence) : notice.sentence, unit);
  banner.bad = notice.bad;
  if (input.status.out_of_memory && view != nullptr && !view->out_of_memory().empty()) {
    const auto& failure = view->out_of_memory().back();
    banner.exact = FormatExactBytes(failure.requested_bytes) + " were asked for";
    if (failure.free_bytes > 0)  // else none, or nobody told
      banner.exact += ", " + FormatExactBytes(failure.free_bytes) + " were free on the card";
    banner.exact += ".";
  }
  if (!notice.bad || IsRecording(input) || presenters::IsProgram(input.description)) return banner;
  banner.again = input.settings;
  if (input.origin == RunOrigin::kNotOpened) banner.again_label = "Start a run";
  if (!input.status.out_of_memory || input.settings.batch <= 1) return banner;
  // What has been chosen since may fit as it is.
  const std::string* failed_with = view == nullptr ? nullptr : timeline::LatestSettings(*view);
  if (failed_with != nullptr && *failed_with != networks::ToJson(input.settings)) return banner;
  const std::optional<int> smaller =
      presenters::SmallerBatch(*input.fit, FitSubjectOf(input), input.settings.batch);
  if (smaller) {
    banner.smaller = input.settings;
    banner.smaller->batch = *smaller;
  }
  banner.smaller_label = smaller ? "With batch " + FormatNumber(*smaller) : "With batch …";
  return banner;
}

std::string DeviceText(const SceneInput& input, ByteUnit unit) {
  if (input.origin == RunOrigin::kNone || input.origin == RunOrigin::kNotOpened) return "";
  std::vector<std::string> parts;
  const events::RunDescription& description = input.description;
  if (IsRecording(input)) {
    parts.push_back(input.recording);
  } else if (presenters::IsProgram(description)) {
    parts.push_back(presenters::NameOfProgram(description));
  }
  if (!description.device_name.empty()) {
    parts.push_back((networks::IsPhantom(description.device) ? "Phantom " : "") +
                    session::ShortCardTitle(description.device_name));
  }
  if (description.device_bytes > 0) {
    const bool is_limited = session::IsLimited(description, *input.cards);
    const bool is_whole =
        !is_limited && session::CardOf(description.device_name, description.device_bytes, *input.cards);
    parts.push_back(is_whole
                        ? session::CardSize(description.device_bytes)
                        : (is_limited ? "limited to " : "") + FormatBytes(description.device_bytes, unit));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

}  // namespace tidemark::gui
