#include "app/gui/opener.h"

#include <string_view>
#include <utility>

#include "profiler/base/format.h"

namespace tidemark::gui {
namespace {

Opener::Run OpenRun(const std::filesystem::path& file, std::optional<uint8_t> card,
                    const BackgroundJobs::Progress& progress) {
  Result<std::unique_ptr<session::Run>> run = session::Run::Open(file, progress, card);
  if (!run) return run.error();
  return std::shared_ptr<session::Run>(std::move(*run));
}

std::string NotShown(const std::string& what) {
  return what + " is not shown: something else was asked for since.";
}

}  // namespace

// A program, as far as it came.
struct Opener::Started {
  Run run;
  session::ProgramField faulty = session::ProgramField::kCommand;
  bool is_cancelled = false;
};

template <typename Outcome>
struct Opener::Errand {
  std::string title;      // of the job
  std::string overtaken;  // what is said where its outcome is not wanted any more; "" = nothing
  std::function<Outcome(const BackgroundJobs::Progress& progress)> work;
  std::function<void(Outcome outcome)> then;
};

template <typename Outcome>
void Opener::LetGo(Outcome& outcome) {
  if constexpr (std::is_same_v<Outcome, Run>) {
    if (outcome.ok()) calls_.let_go(std::move(*outcome));
  } else if constexpr (std::is_same_v<Outcome, Started>) {
    LetGo(outcome.run);
  }
}

template <typename Outcome>
void Opener::Begin(LatestRequest& latest, Errand<Outcome> errand) {
  const Request request = latest.Begin();
  const std::string title = errand.title;
  jobs_->Start(title, JobEnd::kOnRequest, request,
               [this, errand = std::move(errand),
                request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 // Shared, so that what is let go is not held here any more, and ends beside the window.
                 const auto outcome = std::make_shared<Outcome>(errand.work(progress));
                 return [this, outcome, request, then = errand.then, overtaken = errand.overtaken] {
                   if (request.wanted()) return then(std::move(*outcome));
                   if (!overtaken.empty()) calls_.tell(overtaken);
                   LetGo(*outcome);
                 };
               });
}

void Opener::Read(const std::filesystem::path& file, std::optional<uint8_t> card, ThenRun then) {
  const std::string name = file.filename().string();
  const auto work = [file, card](const auto& progress) { return OpenRun(file, card, progress); };
  Begin<Run>(shown_, {"Opening " + name, NotShown(name), work, std::move(then)});
}

void Opener::ReadSecond(const std::filesystem::path& file, ThenRun then) {
  const auto work = [file](const auto& progress) { return OpenRun(file, {}, progress); };
  Begin<Run>(second_, {"Opening " + file.filename().string(), "", work, std::move(then)});
}

void Opener::ReadRanks(const std::vector<std::filesystem::path>& files,
                       std::function<void(Result<session::Ranks> ranks)> then) {
  const std::string what = FormatNumber(static_cast<int64_t>(files.size())) + " recordings";
  const auto work = [files](const auto& progress) { return session::ReadRanks(files, progress); };
  Begin<Result<session::Ranks>>(
      shown_, {"Reading " + what, NotShown("What was read of " + what), work, std::move(then)});
}

void Opener::LookInto(const std::filesystem::path& file,
                      std::function<void(Result<networks::Network> network)> then) {
  const std::string name = file.filename().string();
  const auto work = [path = file.string()](const auto& progress) {
    return networks::FindNetwork(path, [&progress] { return progress.goes_on(); });
  };
  Begin<Result<networks::Network>>(shown_, {"Looking into " + name, NotShown(name), work, std::move(then)});
}

void Opener::Start(const session::ProgramOrder& order, const session::StartProgram& start,
                   std::function<void(Run run, session::ProgramField faulty)> then) {
  const auto work = [order, start](const BackgroundJobs::Progress& progress) {
    auto faulty = session::ProgramField::kCommand;
    Run run = start(
        order,
        {[&](std::string_view line) { progress.Tell(std::string(line)); }, [&] { return progress.goes_on(); },
         [&](session::ProgramField field) { faulty = field; }, [&](double share) { progress(share); }});
    return Started{std::move(run), faulty, !progress.goes_on()};
  };
  const auto take = [this, then = std::move(then)](Started started) {
    if (!started.is_cancelled) return then(std::move(started.run), started.faulty);
    LetGo(started.run);
    calls_.tell("The program was not started, as asked.");
  };
  Begin<Started>(shown_, {"Starting the program", NotShown(order.command), work, take});
}

}  // namespace tidemark::gui
