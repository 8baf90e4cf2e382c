#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/reports/report.h"
#include "profiler/base/choices.h"
#include "profiler/base/format.h"
#include "profiler/lessons/lesson.h"
#include "profiler/session/predictor.h"

namespace tidemark::cli {
namespace {

constexpr size_t kTextWidth = 100;

// As many words to a line as fit; `indent` before all lines but the first.
std::string Wrapped(const std::string& text, const std::string& indent) {
  std::string lines;
  size_t width = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (width > 0 && width + 1 + word.size() > kTextWidth) {
      lines += "\n" + indent;
      width = indent.size();
    } else if (width > 0) {
      lines += ' ';
      ++width;
    }
    lines += word;
    width += word.size();
  }
  return lines + "\n";
}

std::string TableText(const lessons::Block& table, const lessons::FiguresHere& figures) {
  std::vector<size_t> widths(table.rows.front().size());
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], lessons::PlainTextOf(row[i], figures).size());
  }
  std::string text;
  for (const auto& row : table.rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = lessons::PlainTextOf(row[i], figures);
      line += i == 0 ? fmt::format("{:<{}}", cell, widths[i]) : fmt::format("  {:>{}}", cell, widths[i]);
    }
    text += line + "\n";
  }
  return text;
}

std::string BlockText(const lessons::Block& block, const lessons::FiguresHere& figures) {
  using Kind = lessons::Block::Kind;
  const std::string text = lessons::PlainTextOf(block.text, figures);
  switch (block.kind) {
    case Kind::kParagraph:
      return Wrapped(text, "") + "\n";
    case Kind::kItem:
      return "  - " + Wrapped(text, "    ");
    case Kind::kFormula:
      return "    " + text + "\n";
    case Kind::kTable:
      return TableText(block, figures) + "\n";
  }
  return "";
}

std::string PageText(const lessons::Page& page, size_t number, const lessons::FiguresHere& figures) {
  lessons::Situation unset;
  unset.settings.network.clear();
  unset.card.clear();
  std::string text = fmt::format("{}. {}\n", number, page.title);
  text += fmt::format("   ({})\n\n", TextOf(lessons::ChangesBetween(unset, page.setup.situation)));
  bool in_list = false;
  for (const lessons::Block& block : page.blocks) {
    const bool joins =
        block.kind == lessons::Block::Kind::kItem || block.kind == lessons::Block::Kind::kFormula;
    if (in_list && !joins) text += "\n";
    in_list = joins;
    text += BlockText(block, figures);
  }
  if (in_list) text += "\n";
  if (page.prediction) {
    text += Wrapped("Predict: " + lessons::PlainTextOf(page.prediction->question, figures), "  ");
    for (const lessons::RichText& reveal : page.prediction->reveal) {
      text += Wrapped("Because: " + lessons::PlainTextOf(reveal, figures), "  ");
    }
    text += "\n";
  }
  for (const lessons::Attempt& attempt : page.attempts) {
    text += Wrapped(fmt::format("Try: {} ({})", lessons::PlainTextOf(attempt.text, figures), attempt.changes),
                    "  ") +
            "\n";
  }
  return text;
}

int ListLessons(const std::vector<lessons::Lesson>& all) {
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) {
    text += fmt::format("{:>2}  {:<28}{}\n", i + 1, all[i].name, lessons::PlainTextOf(all[i].summary));
  }
  return Answer(text + "\nThe window teaches them step by step: its Learn menu has them.\n");
}

// By its name, or by its number among all.
const lessons::Lesson* FindLesson(const std::vector<lessons::Lesson>& all, const std::string& wanted) {
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == wanted || std::to_string(i + 1) == wanted) return &all[i];
  }
  return nullptr;
}

// What the phantom says of a page here, as the window tells it; as it was written where it cannot be asked.
class HereAnswers {
 public:
  lessons::FiguresHere Of(const lessons::Page& page) {
    if (!networks_ || !cards_) return {};
    return lessons::FiguresOn(page, Sources());
  }
  // To what is to be predicted.
  lessons::PredictedFigures Of(const lessons::Prediction& prediction) {
    if (!networks_ || !cards_) return {{}, {}, (networks_ ? cards_.error() : networks_.error()).message};
    return lessons::FiguresOf(prediction, Sources());
  }
  // Why cuDNN's workspaces are missing from what it said; "" if they are not, and where it said nothing.
  const std::string& without_workspaces() const { return without_workspaces_; }

 private:
  lessons::Sources Sources() {
    return {&*networks_, &*cards_, [this](const lessons::Situation& asked) { return Ask(asked); }};
  }
  std::optional<session::Prediction> Ask(const lessons::Situation& asked) {
    if (!is_there_) return std::nullopt;
    const Result<session::Prediction> answer = predictor_.AskAndWait(asked.settings, {asked.card});
    is_there_ = answer.ok();
    if (answer && !answer->without_workspaces.empty()) without_workspaces_ = answer->without_workspaces;
    return answer ? std::optional(*answer) : std::nullopt;
  }

  Result<std::vector<networks::Network>> networks_ = networks::LoadNetworks();
  Result<std::vector<phantom::Card>> cards_ = phantom::LoadCards();
  session::Predictor predictor_;
  bool is_there_ = true;
  std::string without_workspaces_;
};

// "textbook 173 MB, phantom 192.1 MB"
std::string AnswerText(const lessons::PredictedFigures& figures) {
  std::vector<std::string> told;
  const auto tell = [&](const char* who, const std::optional<double>& bytes) {
    if (bytes)
      told.push_back(fmt::format("{} {}", who, FormatBytes(std::llround(*bytes), ByteUnit::kMegabytes)));
  };
  tell("textbook", figures.textbook);
  tell("phantom", figures.phantom);
  if (!figures.phantom)
    told.push_back(figures.trouble.empty() ? "the phantom cannot be asked here" : figures.trouble);
  return fmt::format("{}", fmt::join(told, ", "));
}

// Last, so that nobody meets them before the questions.
std::string AnswersText(const lessons::Lesson& lesson, HereAnswers& here) {
  std::string text;
  for (size_t i = 0; i < lesson.pages.size(); ++i) {
    const lessons::Page& page = lesson.pages[i];
    if (page.prediction)
      text += Wrapped(fmt::format("{}. {}: {}{}", i + 1, page.title, AnswerText(here.Of(*page.prediction)),
                                  lessons::IsDrawn(*page.prediction) ? ", at the peak" : ""),
                      "   ");
  }
  return text.empty() ? "" : "Answers\n" + text;
}

int ShowLesson(const std::string& wanted) {
  const Result<std::vector<lessons::Lesson>> all = lessons::LoadLessons();
  if (!all) return Complain(all.error().message, kExitFailed);
  if (wanted.empty()) return ListLessons(*all);
  const lessons::Lesson* lesson = FindLesson(*all, wanted);
  if (lesson == nullptr) {
    std::vector<std::string> names;
    for (const lessons::Lesson& one : *all) names.push_back(one.name);
    return Complain(fmt::format("{} Or give a number from 1 to {}.", UnknownChoice("lesson", wanted, names),
                                names.size()),
                    kExitUsage);
  }
  std::string text = fmt::format("{}\n{}\n\n", lesson->title, lessons::PlainTextOf(lesson->summary));
  HereAnswers here;
  for (size_t i = 0; i < lesson->pages.size(); ++i)
    text += PageText(lesson->pages[i], i + 1, here.Of(lesson->pages[i]));
  text += AnswersText(*lesson, here);
  if (!here.without_workspaces().empty())
    text += Wrapped(NoteWithoutWorkspaces(here.without_workspaces()), "");
  return Answer(text);
}

}  // namespace

Command RegisterLessons(CLI::App& application) {
  CLI::App* command = application.add_subcommand("lessons", "What there is to learn, or one lesson's text");
  command->footer("Examples:\n  tidemark lessons\n  tidemark lessons mixed-precision\n  tidemark lessons 5");
  auto wanted = std::make_shared<std::string>();
  command->add_option("lesson", *wanted, "Print this one, by its name or its number")->type_name("");
  return {command, [wanted] { return ShowLesson(*wanted); }};
}

}  // namespace tidemark::cli
