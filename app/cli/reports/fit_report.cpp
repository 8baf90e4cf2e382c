#include "app/cli/reports/fit_report.h"

#include <fmt/format.h>

#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

using advice::AllocatorSetup;
using advice::FitAnswer;
using advice::FitQuestion;
using advice::Need;
using advice::Proposal;
using advice::Sharding;

std::string DecimalSize(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMegabytes); }
std::string BinarySize(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }
std::string Seconds(double seconds) { return FormatDuration(static_cast<int64_t>(seconds * 1e9)); }

std::string ProposalsTitle(int64_t samples) {
  if (samples == 0) return "What makes it fit";
  return fmt::format("What fits with {} {} a step", FormatNumber(samples),
                     samples == 1 ? "sample" : "samples");
}

std::string ProposalRow(const FitQuestion& question, const Proposal& proposal) {
  const std::string change = DescribeProposal(question, proposal);
  return fmt::format("{:>14}{:>14}{:>12}  {}{}\n", DecimalSize(proposal.need.allocated_peak_bytes),
                     DecimalSize(proposal.need.reserved_peak_bytes), Seconds(proposal.step_seconds),
                     change.empty() ? "as it is" : change,
                     proposal.need.empties_cache ? fmt::format(" ({})", presenters::kNearlyFull) : "");
}

std::string ProposalTable(std::string_view title, const FitQuestion& question,
                          const std::vector<Proposal>& proposals) {
  std::string text =
      fmt::format("{}\n{:>14}{:>14}{:>12}  {}\n", title, "allocated", "reserved", "a step ~", "change");
  for (const Proposal& proposal : proposals) text += ProposalRow(question, proposal);
  return text;
}

std::string LargestBatchRow(const FitAnswer& answer) {
  if (answer.largest_batch == 0) return "With all else as it is, not even a micro-batch of 1 fits.\n";
  if (answer.is_at_limit) {
    return fmt::format("With all else as it is, micro-batches up to {} fit, the most that there may be.\n",
                       FormatNumber(answer.largest_batch));
  }
  return fmt::format(
      "With all else as it is, micro-batches up to {} fit{}; {} does not.\n",
      FormatNumber(answer.largest_batch),
      answer.batch_with_room < answer.largest_batch
          ? fmt::format(" (beyond {} {})", FormatNumber(answer.batch_with_room), presenters::kNearlyFull)
          : "",
      FormatNumber(answer.largest_batch + 1));
}

std::string ShardingRows(const FitAnswer& answer) {
  std::string text;
  for (const Sharding& sharding : answer.shardings) {
    if (!sharding.fits) continue;
    text += fmt::format("  ZeRO stage {}, {} cards: {} each\n", sharding.stage, sharding.ranks,
                        DecimalSize(sharding.bytes));
  }
  return text.empty()
             ? ""
             : "On several such cards it would fit, by formula, without the buffers of collectives\n" + text;
}

Json ProposalJson(const FitQuestion& question, const Proposal& proposal) {
  Json json = {{"change", DescribeProposal(question, proposal)},
               {"settings", Json::parse(networks::ToJson(proposal.configuration.settings))},
               {"allocator", proposal.configuration.allocator},
               {"allocated_peak_bytes", proposal.need.allocated_peak_bytes},
               {"reserved_peak_bytes", proposal.need.reserved_peak_bytes},
               {"fits", proposal.need.fits},
               {"empties_cache", proposal.need.empties_cache},
               {"times_survived", proposal.need.times_survived},
               {"estimated_step_seconds", proposal.step_seconds}};
  if (networks::UsesPipeline(proposal.configuration.settings)) json["stage"] = proposal.need.stage;
  return json;
}

Json ProposalsJson(const FitQuestion& question, const std::vector<Proposal>& proposals) {
  Json json = Json::array();
  for (const Proposal& proposal : proposals) json.push_back(ProposalJson(question, proposal));
  return json;
}

Json SetupJson(const AllocatorSetup& setup, const phantom::Replayed& replayed) {
  return {{"card", setup.card.name},
          {"memory_bytes", setup.card.memory_bytes},
          {"allocator", setup.settings},
          {"cache_of", setup.after_title},
          {"allocated_peak_bytes", replayed.allocated_peak_bytes},
          {"reserved_peak_bytes", replayed.reserved_peak_bytes},
          {"unused_bytes", advice::UnusedBytes(replayed)},
          {"cache_emptied", replayed.retries},
          {"out_of_memory", replayed.failures}};
}

}  // namespace

std::string FitText(const FitQuestion& question, const FitAnswer& answer, double seconds) {
  const int64_t usable = session::UsableBytes(question.card);
  std::string text =
      fmt::format("{} on a phantom {}: {} of it beside the CUDA context\n{}\n\n", question.network.title,
                  question.card.title, DecimalSize(usable), SettingsLine(question.settings));
  text +=
      fmt::format("It {}: {} allocated, {} reserved at the peak, a step ~{}.\n",
                  answer.present.need.fits ? "fits" : "does not fit",
                  DecimalSize(answer.present.need.allocated_peak_bytes),
                  DecimalSize(answer.present.need.reserved_peak_bytes), Seconds(answer.present.step_seconds));
  if (const std::string stages = DescribeStages(question, answer.present.need); !stages.empty())
    text += stages + "\n";
  text += SurvivedRow(answer.present.need.times_survived) + LargestBatchRow(answer) + "\n";
  if (!answer.proposals.empty()) {
    text +=
        ProposalTable(
            ProposalsTitle(question.samples) +
                ": the cheapest first, then what nearly fills the card, last another optimizer (it learns "
                "differently)",
            question, answer.proposals) +
        "\n";
  } else if (!answer.present.need.fits) {
    text += "None of these changes makes it fit: choose a card with more memory.\n\n";
  }
  if (!answer.frontier.empty()) {
    text += ProposalTable("Reserved memory against time: nothing that fits beats these in both", question,
                          answer.frontier) +
            "\n";
  }
  if (!answer.present.need.fits) text += ShardingRows(answer);
  text += fmt::format(
      "A step's time is an estimate, by the card's bandwidth and operations a second; memory is the "
      "phantom's.\n"
      "{} configurations, {} questions to the phantom, in {}.\n",
      FormatNumber(static_cast<int64_t>(answer.considered)), FormatNumber(static_cast<int64_t>(answer.asked)),
      Seconds(seconds));
  const Need& need = answer.present.need;
  return text + PhantomNote(need.without_workspaces, need.unknown_sizes) + "\n";
}

Json FitJson(const FitQuestion& question, const FitAnswer& answer, double seconds) {
  Json shardings = Json::array();
  for (const Sharding& sharding : answer.shardings) {
    shardings.push_back({{"zero_stage", sharding.stage},
                         {"ranks", sharding.ranks},
                         {"formula_bytes", sharding.bytes},
                         {"fits", sharding.fits}});
  }
  const Need& need = answer.present.need;
  return {{"card", CardJson(question.card)},
          {"present", ProposalJson(question, answer.present)},
          {"proposals", ProposalsJson(question, answer.proposals)},
          {"frontier", ProposalsJson(question, answer.frontier)},
          {"largest_batch", answer.largest_batch},
          {"largest_batch_is_limit", answer.is_at_limit},
          {"largest_batch_with_room", answer.batch_with_room},
          {"shardings", shardings},
          {"configurations", answer.considered},
          {"asked", answer.asked},
          {"search_seconds", seconds},
          {"note", PhantomNote(need.without_workspaces, need.unknown_sizes)}};
}

std::string OtherCardNote(const AllocatorSetup& own, const AllocatorSetup& other) {
  if (own.card.name == other.card.name) return "";
  return fmt::format(
      "These are the requests that the run made on an {}. What cuBLAS and cuDNN take as workspaces is each "
      "card's own, and is here as it was there: run it for the {} (--card {}) to have its own.",
      own.card.title, other.card.title, other.card.name);
}

std::string SetupInWords(const AllocatorSetup& setup) {
  return fmt::format("{}, {}, {}{}{}", setup.card.title, BinarySize(setup.card.memory_bytes),
                     setup.settings.empty() ? "PyTorch's own settings" : setup.settings,
                     setup.addresses ? ", addresses " + phantom::TextOf(*setup.addresses) : "",
                     setup.after == nullptr ? "" : ", with the cache that " + setup.after_title + " leaves");
}

std::string WhatIfText(const AllocatorSetup& own, const AllocatorSetup& other, const advice::WhatIf& answer) {
  std::string text = fmt::format("before: {}\nafter:  {}\n\n", SetupInWords(own), SetupInWords(other));
  if (advice::DoesNotFit(answer)) text += advice::FailureInWords(answer) + "\n\n";
  // What requests that failed would have added is in no peak.
  const bool is_comparable = answer.before.failures == 0 && answer.after.failures == 0;
  const auto size = [&](std::string_view title, int64_t before, int64_t after) {
    const double change =
        before == 0 ? 0 : 100.0 * static_cast<double>(after - before) / static_cast<double>(before);
    text += fmt::format("  {:<18}{:>22}{:>22}{}\n", title, FormatExactBytes(before), FormatExactBytes(after),
                        is_comparable ? fmt::format("{:>+10.1f} %", change) : "");
  };
  const auto count = [&](std::string_view title, int64_t before, int64_t after) {
    text += fmt::format("  {:<18}{:>22}{:>22}\n", title, FormatNumber(before), FormatNumber(after));
  };
  text += fmt::format("  {:<18}{:>22}{:>22}\n", "at the peak", "before", "after");
  size("allocated", answer.before.allocated_peak_bytes, answer.after.allocated_peak_bytes);
  size("reserved", answer.before.reserved_peak_bytes, answer.after.reserved_peak_bytes);
  size("of it unused", advice::UnusedBytes(answer.before), advice::UnusedBytes(answer.after));
  count("cache emptied", answer.before.retries, answer.after.retries);
  count("out of memory", answer.before.failures, answer.after.failures);
  if (const std::string why = advice::WhyWithoutEffect(other.settings); !why.empty())
    text += "\n" + why + "\n";
  if (const std::string note = OtherCardNote(own, other); !note.empty()) text += "\n" + note + "\n";
  if (answer.ends_at_failure) text += fmt::format("\n{}\n", advice::kEndsAtFailure);
  if (!answer.is_as_recorded) {
    text +=
        "\nReplayed as it was, the run does not come to the peaks that were recorded: it had another "
        "allocator or card, or\n"
        "did what requests do not hold. Trust the difference more than the figures.\n";
  }
  return text;
}

Json WhatIfJson(const AllocatorSetup& own, const AllocatorSetup& other, const advice::WhatIf& answer) {
  return {{"before", SetupJson(own, answer.before)},
          {"after", SetupJson(other, answer.after)},
          {"before_is_as_recorded", answer.is_as_recorded},
          {"ends_at_failure", answer.ends_at_failure},
          {"fits", !advice::DoesNotFit(answer)},
          {"note", advice::WhyWithoutEffect(other.settings)},
          {"card_note", OtherCardNote(own, other)}};
}

}  // namespace tidemark::cli
