#include "app/cli/run_writer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "app/cli/console/recording_file.h"
#include "app/cli/picture_file.h"
#include "app/cli/reports/run_bridge.h"
#include "app/cli/reports/run_facts.h"
#include "app/cli/reports/run_page.h"
#include "app/cli/reports/run_picture.h"
#include "app/cli/reports/run_report.h"
#include "app/presenters/allocations/folded_stacks.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/moment/untold_blocks.h"
#include "app/presenters/run/program_facts.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/format.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/steady_state.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/trace/exporters/export.h"
#include "profiler/trace/output_file.h"

namespace tidemark::cli {
namespace {

Error Cancelled(const std::filesystem::path& file) {
  return Error{"Writing " + file.string() + " was cancelled."};
}

// The context, where the card itself told nothing of what is taken of it.
void AddCardFacts(const session::Run& run, const std::vector<phantom::Card>& cards, RunPage& page) {
  if (page.levels.empty() || page.tells_card || !run.view()->tells_blocks()) return;
  const events::RunDescription description = run.description();
  const auto card = session::CardOf(description.device_name, description.device_bytes, cards);
  if (!card) return;
  const session::HeldPeak held = session::HeldPeakOf(session::LargestSince(*run.view()));
  const session::CardFit fit = session::FitOfFullest(*run.view(), *card, {}, held, {});
  page.facts.emplace_back("CUDA context", FormatBytes(card->context_bytes, ByteUnit::kMebibytes) + ", " +
                                              session::WhereContextIsFrom(*card));
  page.facts.emplace_back(
      run.view()->devices().size() > 1 ? "of the fullest card, with it" : "of the card, with it",
      FormatBytes(fit.taken_bytes(), ByteUnit::kMebibytes) + (fit.is_at_least ? ", at least" : ""));
}

void AddOutOfMemory(const session::Run& run, const std::vector<phantom::Card>& cards, RunPage& page) {
  const auto view = run.view();
  if (view->out_of_memory().empty()) return;
  const RunReport report = MakeRunReport(*view, run.description(), session::LargestSince(*view), {}, cards);
  page.out_of_memory = ShortageSentences(report);
  for (const advice::Owner& owner : report.owners) page.owners.push_back({owner.name, owner.bytes, 0, -1});
}

std::string PageOf(const session::NotedRun& noted, std::string_view format) {
  const session::Run& run = noted.run;
  RunPage page = MakeRunPage(*run.view(), run.description());
  page.facts = FactsOf(run);
  const Result<std::vector<phantom::Card>> known = phantom::LoadCards();
  const std::vector<phantom::Card> cards = known ? *known : std::vector<phantom::Card>();
  AddCardFacts(run, cards, page);
  AddOutOfMemory(run, cards, page);
  if (Result<presenters::Bridge> bridge = BridgeOf(run)) {
    page.bridge = std::move(*bridge);
  } else if (presenters::IsProgram(run.description())) {
    page.why_no_bridge =
        "A bridge from the textbook begins with the figures of a network that Tidemark knows, and of this "
        "program there is no textbook. What lies between tensors and card is told below.";
  } else {
    page.why_no_bridge = bridge.error().message;
  }
  if (const std::string why = presenters::WhyUntold(*run.view()); !why.empty()) page.notes.push_back(why);
  for (const std::string& warning : WarningsOf(run)) page.notes.push_back(warning);
  page.bookmarks = BookmarkRows(*run.view(), noted.bookmarks);
  return format == "html" ? HtmlOf(page) : MarkdownOf(page);
}

bool IsFolded(std::string_view format) { return format == "folded"; }

// As the breakdown and the memory map show it.
Result<std::string> FoldedAtPeak(const timeline::View& view, const std::filesystem::path& file,
                                 const Progress& progress) {
  const std::optional<presenters::PeakMoment> peak = presenters::PeakOfRun(view);
  const timeline::State state =
      peak ? timeline::SettledStateAt(view, peak->index, peak->step_end) : timeline::State{};
  std::optional<std::string> folded = presenters::FoldedStacksOf(view, state, progress);
  if (!folded) return Cancelled(file);
  if (!folded->empty()) return std::move(*folded);
  return Error{
      "Folded stacks tell what holds memory at the peak, and of this run no allocation is told. Choose "
      "another "
      "format."};
}

std::vector<std::string> MomentOfFolded(const session::NotedRun& noted) {
  const auto view = noted.run.view();
  std::vector<std::string> sentences = trace::BookmarksLeftOut(noted.bookmarks.size());
  if (const std::optional<presenters::PeakMoment> peak = presenters::PeakOfRun(*view)) {
    const timeline::Series level = view->peak_level();
    const int64_t bytes = ValueOf(view->ValuesAt(peak->index), level);
    sentences.push_back(fmt::format("Of the run it holds one moment: {} B {} {}.", FormatNumber(bytes),
                                    presenters::HeldAs(level), peak->title));
  }
  return sentences;
}

bool IsPage(std::string_view format) { return format == "markdown" || format == "html"; }

Result<std::string> MakeText(const session::NotedRun& noted, std::string_view format,
                             const std::filesystem::path& file, const Progress& progress) {
  if (IsPage(format)) return PageOf(noted, format);
  if (IsFolded(format)) return FoldedAtPeak(*noted.run.view(), file, progress);
  return PictureOf(noted.run, presenters::PictureViewOfName(file), noted.run.description().title, {},
                   {{}, MarkersOf(*noted.run.view(), noted.bookmarks)},
                   [&] { return !progress || progress(0); });
}

Status WriteText(const session::NotedRun& noted, std::string_view format, const std::filesystem::path& file,
                 const Progress& progress) {
  const Result<std::string> made = MakeText(noted, format, file, progress);
  if (progress && !progress(1)) return Cancelled(file);
  if (!made) return made.error();
  return format == "png" ? WritePng(*made, file) : trace::WriteWhole(*made, file);
}

// What was noted in it stays beside its own file, where this holds nothing of it: all else there was noted in
// another run that had this name.
Status KeepOnlyItsNotes(const session::NotedRun& noted, trace::ExportFormat format,
                        const std::filesystem::path& file) {
  const Result<std::vector<trace::Bookmark>> beside = trace::LoadBookmarks(file);
  const bool are_its_own = beside && *beside == noted.bookmarks;
  return are_its_own && !trace::HoldsBookmarks(format) ? Status(Done{}) : trace::SaveBookmarks({}, file);
}

template <typename Tell>
std::string InWords(Tell tell) {
  std::string text;
  const auto formats = presenters::RunFormats();
  for (size_t i = 0; i < formats.size(); ++i)
    text += (i == 0 ? "" : i + 1 == formats.size() ? " or " : ", ") + tell(formats[i]);
  return text;
}

}  // namespace

Status WriteRun(const session::NotedRun& noted, std::string_view format, const std::filesystem::path& file,
                const Progress& progress) {
  const session::Run& run = noted.run;
  if (format == "tide") {
    const Status saved = run.Save(file, progress);
    return saved ? trace::SaveBookmarks(noted.bookmarks, file) : saved;
  }
  if (IsPage(format) || IsFolded(format) || presenters::IsPicture(format))
    return WriteText(noted, format, file, progress);
  const Result<trace::ExportFormat> exported = trace::ExportFormatFromText(format);
  if (!exported) return exported.error();
  const Status written =
      trace::Export(*run.view(), run.description(), *exported, file, progress, noted.bookmarks);
  return written ? KeepOnlyItsNotes(noted, *exported, file) : written;
}

std::vector<std::string> LeftOutBy(const session::NotedRun& noted, std::string_view format,
                                   const std::filesystem::path& file) {
  if (IsFolded(format)) return MomentOfFolded(noted);
  const Result<trace::ExportFormat> exported = trace::ExportFormatFromText(format);
  if (exported) return trace::LeftOutBy(*exported, *noted.run.view(), noted.bookmarks.size());
  if (presenters::IsPicture(format) && presenters::PictureViewOfName(file).key != "timeline")
    return trace::BookmarksLeftOut(noted.bookmarks.size());
  return {};  // a recording holds everything; of a page nobody expects it
}

Result<std::vector<std::string>> ExportRun(const session::NotedRun& noted, std::string_view format,
                                           const std::filesystem::path& file, const Progress& progress) {
  const Status written = WriteRun(noted, format, file, progress);
  if (!written) return written.error();
  return LeftOutBy(noted, format, file);
}

std::string FormatKeysInWords() {
  return InWords([](const presenters::RunFormat& format) { return std::string(format.key); });
}

std::string FormatEndingsInWords() {
  return InWords([](const presenters::RunFormat& format) {
    return fmt::format("{} ({})", format.ending, format.title);
  });
}

}  // namespace tidemark::cli
