#include "profiler/lessons/lesson.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "profiler/base/check.h"
#include "profiler/base/choices.h"
#include "profiler/base/paths.h"
#include "profiler/base/whole_file.h"

namespace tidemark::lessons {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kSetupFence = "```tidemark";

std::string_view StrippedLine(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

bool Takes(std::string_view* line, std::string_view prefix) {
  if (!line->starts_with(prefix)) return false;
  line->remove_prefix(prefix.size());
  while (line->starts_with(' ')) line->remove_prefix(1);
  return true;
}

// Quantities that a person can predict, as textbook and phantom know them.
struct Asked {
  std::string_view quantity, textbook, phantom;
};
constexpr std::string_view kCurve = "curve";
constexpr std::array<Asked, 11> kAsked = {{{"allocated", "textbook.total", "phantom.allocated"},
                                           {kCurve, "textbook.total", "phantom.allocated"},
                                           {"reserved", "", "phantom.reserved"},
                                           {"parameter", "textbook.parameter", "phantom.parameter"},
                                           {"gradient", "textbook.gradient", "phantom.gradient"},
                                           {"optimizer", "textbook.optimizer", "phantom.optimizer"},
                                           {"activation", "textbook.activation", "phantom.activation"},
                                           {"input", "textbook.input", "phantom.input"},
                                           {"temporary", "", "phantom.temporary"},
                                           {"workspace", "", "phantom.workspace"},
                                           {"autocast", "textbook.autocast", "phantom.autocast"}}};

// As the textbook and the phantom are asked for it, "" where the textbook has none; null = it cannot be.
const Asked* AskedAs(std::string_view quantity) {
  const auto* const found = std::ranges::find(kAsked, quantity, &Asked::quantity);
  return found == kAsked.end() ? nullptr : found;
}

std::vector<std::string> PredictableQuantities() {
  std::vector<std::string> names;
  names.reserve(kAsked.size());
  for (const Asked& asked : kAsked) names.emplace_back(asked.quantity);
  return names;
}

// Why the page's run is nothing for a machine that it would really need; "" = any may have it.
std::string WhyOnPhantom(const Page& page) {
  const networks::TrainingSettings& settings = page.setup.situation.settings;
  if (settings.ranks > 1) return fmt::format("{} ranks take as many GPUs", settings.ranks);
  if (settings.keep_losses) return "kept losses take more memory with every step";
  const bool runs_out = std::ranges::any_of(page.claims, [](const Claim& claim) {
    return claim.left.starts_with("phantom.fits") && claim.right == "0";
  });
  return runs_out ? "it comes to the end of a card's memory" : "";
}

// Reads a lesson's lines one by one; knows which line it is at.
class LessonReader {
 public:
  LessonReader(std::string_view markdown, std::string file) : file_(std::move(file)) {
    while (!markdown.empty()) {
      const size_t end = std::min(markdown.find('\n'), markdown.size());
      lines_.push_back(StrippedLine(markdown.substr(0, end)));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
  }

  Result<Lesson> Read() {
    while (next_ < lines_.size()) {
      const Status read = ReadPart();
      if (!read) return read.error();
    }
    if (lesson_.title.empty()) return At(Error{"A lesson begins with its title: # Title."});
    if (lesson_.pages.empty()) return At(Error{"The lesson has no page; a page begins with ## Title."});
    for (Page& page : lesson_.pages) page.setup.phantom_because = WhyOnPhantom(page);
    return std::move(lesson_);
  }

 private:
  Error At(const Error& error) const { return Error{fmt::format("{}:{}: {}", file_, next_, error.message)}; }
  Page& page() { return lesson_.pages.back(); }

  Status ReadPart() {
    std::string_view line = lines_[next_++];
    if (line.empty()) return Done{};
    if (Takes(&line, "## ")) {
      Page fresh;
      fresh.title = line;
      if (!lesson_.pages.empty()) fresh.setup.situation = page().setup.situation;
      lesson_.pages.push_back(std::move(fresh));
      return Done{};
    }
    if (Takes(&line, "# ")) {
      lesson_.title = line;
      return Done{};
    }
    if (lesson_.pages.empty()) return ReadSummary(line);
    if (line == kSetupFence) return ReadSetup();
    if (Takes(&line, "> ")) return ReadTask(line);
    if (line.starts_with('|')) return ReadTable(line);
    if (line.starts_with("    ")) return ReadBlock(Block::Kind::kFormula, line.substr(4));
    if (Takes(&line, "- ")) return ReadBlock(Block::Kind::kItem, Continued(line, "  "));
    if (line.starts_with(kFence))
      return At(Error{"Only ```tidemark blocks are read; indent a formula by four spaces."});
    return ReadBlock(Block::Kind::kParagraph, Continued(line, ""));
  }

  // What a code host shows as one paragraph: lines that begin with `prefix` and are no other part.
  std::string Continued(std::string_view first, std::string_view prefix) {
    std::string text(first);
    for (; next_ < lines_.size(); ++next_) {
      std::string_view line = lines_[next_];
      const bool ends =
          line.empty() || !line.starts_with(prefix) ||
          (prefix.empty() && std::string_view("#>|-`").find(line.front()) != std::string_view::npos);
      if (ends) break;
      line.remove_prefix(prefix.size());
      if (prefix == "> " && line.starts_with("**")) break;  // the next task
      text += ' ';
      text += line;
    }
    return text;
  }

  // Of the summary there is no page yet that could hold claims.
  Status ReadSummary(std::string_view line) {
    const Result<ParsedText> text = ParseText(Continued(line, ""), static_cast<int>(next_));
    if (!text) return At(text.error());
    if (!text->claims.empty()) return At(Error{"The summary states no figures; put them on a page."});
    lesson_.summary.insert(lesson_.summary.end(), text->text.begin(), text->text.end());
    return Done{};
  }

  // The text's claims are the page's; its remarks are returned.
  Result<ParsedText> Parse(std::string_view markdown) {
    Result<ParsedText> text = ParseText(markdown, static_cast<int>(next_));
    if (!text) return At(text.error());
    page().claims.insert(page().claims.end(), text->claims.begin(), text->claims.end());
    return text;
  }

  // The window shows what is to be done last, so that a file reads in the same order.
  Status CheckPlace() {
    if (!page().prediction && page().attempts.empty()) return Done{};
    return At(Error{"Text follows what is to be predicted or tried; put it before, or into a **Reveal.**"});
  }

  Status ReadBlock(Block::Kind kind, std::string_view markdown) {
    Result<ParsedText> text = Parse(markdown);
    if (!text) return text.error();
    if (!text->remarks.empty()) {
      return At(Error{
          fmt::format("The comment '{}' is neither a figure's (=, ~) nor a check.", text->remarks.front())});
    }
    if (text->text.empty()) return Done{};  // checks alone
    if (Status placed = CheckPlace(); !placed) return placed;
    page().blocks.push_back({kind, std::move(text->text), {}});
    return Done{};
  }

  Status ReadTable(std::string_view line) {
    Block table{Block::Kind::kTable, {}, {}};
    for (bool more = true; more;) {
      std::vector<RichText> cells;
      while (line.size() > 1) {
        line.remove_prefix(1);
        const size_t end = std::min(line.find('|'), line.size());
        std::string_view cell = line.substr(0, end);
        while (cell.starts_with(' ')) cell.remove_prefix(1);
        Result<ParsedText> text = Parse(StrippedLine(cell));
        if (!text) return text.error();
        cells.push_back(std::move(text->text));
        line.remove_prefix(end);
      }
      const bool is_rule = !cells.empty() && PlainTextOf(cells.front()).starts_with("--");
      if (!is_rule) table.rows.push_back(std::move(cells));
      more = next_ < lines_.size() && lines_[next_].starts_with('|');
      if (more) line = lines_[next_++];
    }
    if (table.rows.empty()) return At(Error{"The table has no row."});
    if (Status placed = CheckPlace(); !placed) return placed;
    for (std::vector<RichText>& row : table.rows) row.resize(table.rows.front().size());
    page().blocks.push_back(std::move(table));
    return Done{};
  }

  Status ReadSetup() {
    while (next_ < lines_.size()) {
      std::string_view line = lines_[next_++];
      if (line == kFence) return Done{};
      Status read = ReadSetupLine(line);
      if (!read) return read;
    }
    return At(Error{"The ```tidemark block is not ended by ```."});
  }

  Status ReadSetupLine(std::string_view line) {
    Setup& setup = page().setup;
    if (Takes(&line, "set ")) {
      Result<Situation> changed = Changed(setup.situation, line);
      if (!changed) return At(changed.error());
      setup.situation = std::move(*changed);
    } else if (Takes(&line, "show ")) {
      setup.show = WordsOf(line);
    } else if (Takes(&line, "pin ") && line == "peak") {
      setup.pin_peak = true;
    } else if (Takes(&line, "highlight ")) {
      return ReadControls(line, &setup.highlight);
    } else if (Takes(&line, "lock ")) {
      return ReadControls(line, &setup.lock);
    } else {
      return At(Error{fmt::format("'{}' sets nothing up; lines are set, show, pin peak, highlight and lock.",
                                  Quoted(line))});
    }
    return Done{};
  }

  Status ReadControls(std::string_view line, std::vector<std::string>* controls) {
    *controls = WordsOf(line);
    const std::vector<std::string> known = ControlNames();
    for (const std::string& name : *controls) {
      if (std::ranges::find(known, name) == known.end()) {
        return At(Error{UnknownChoice("control", name, known)});
      }
    }
    return Done{};
  }

  Status ReadTask(std::string_view line) {
    const bool predict = Takes(&line, "**Predict.**");
    const bool reveal = !predict && Takes(&line, "**Reveal.**");
    const bool attempt = !predict && !reveal && Takes(&line, "**Try.**");
    if (!predict && !reveal && !attempt) {
      return At(Error{"A quoted part begins with **Predict.**, **Reveal.** or **Try.**"});
    }
    Result<ParsedText> text = Parse(Continued(line, "> "));
    if (!text) return text.error();
    if (reveal) return AddReveal(std::move(text->text));
    if (text->remarks.size() != 1) {
      return At(Error{predict ? "A prediction ends with what it asks for: <!-- allocated(batch=128) -->."
                              : "Something to try ends with what must hold then: <!-- batch=128 -->."});
    }
    return predict ? AddPrediction(std::move(text->text), text->remarks.front())
                   : AddAttempt(std::move(text->text), text->remarks.front());
  }

  Status AddReveal(RichText text) {
    if (!page().prediction) return At(Error{"There is a **Reveal.** without a **Predict.** before it."});
    page().prediction->reveal.push_back(std::move(text));
    return Done{};
  }

  Status AddPrediction(RichText text, const std::string& asked) {
    if (page().prediction) return At(Error{"A page has one prediction; this is its second."});
    const size_t open = asked.find('(');
    const std::string quantity = asked.substr(0, open);
    if (AskedAs(quantity) == nullptr) {
      return At(Error{fmt::format("'{}' cannot be predicted; these can: {}.", Quoted(quantity),
                                  fmt::join(PredictableQuantities(), ", "))});
    }
    std::string changes = open == std::string::npos ? "" : asked.substr(open + 1);
    if (changes.ends_with(')')) changes.pop_back();
    Result<Situation> situation = Changed(page().setup.situation, changes);
    if (!situation) return At(situation.error());
    page().prediction = Prediction{std::move(text), quantity, std::move(*situation), {}};
    return Done{};
  }

  Status AddAttempt(RichText text, const std::string& changes) {
    const Result<bool> holds = Holds(page().setup.situation, changes);
    if (!holds) return At(holds.error());
    if (*holds) return At(Error{"What is to be tried holds already: the page sets it up."});
    page().attempts.push_back({std::move(text), changes});
    return Done{};
  }

  std::string file_;
  std::vector<std::string_view> lines_;
  size_t next_ = 0;
  Lesson lesson_;
};

// "03-batch-size" -> "batch-size"
std::string NameWithoutNumber(const std::string& folder) {
  const size_t letter = folder.find_first_not_of("0123456789-");
  return letter == std::string::npos ? folder : folder.substr(letter);
}

Result<Lesson> LessonFromFile(const std::filesystem::path& file) {
  const Result<std::string> markdown = ReadWholeFile(file);
  if (!markdown) return Error{fmt::format("The lesson {} cannot be read.", file.string())};
  Result<Lesson> lesson = LessonFromMarkdown(*markdown, file.string());
  if (lesson) lesson->name = NameWithoutNumber(file.parent_path().filename().string());
  return lesson;
}

template <typename Visitor>
void ForEachText(const Page& page, const Visitor& visit) {
  for (const Block& block : page.blocks) {
    visit(block.text);
    for (const auto& row : block.rows) std::ranges::for_each(row, visit);
  }
  for (const Attempt& attempt : page.attempts) visit(attempt.text);
  if (!page.prediction) return;
  visit(page.prediction->question);
  std::ranges::for_each(page.prediction->reveal, visit);
}

}  // namespace

PredictedFigures FiguresOf(const Prediction& prediction, const Sources& sources) {
  PredictedFigures figures;
  const auto figure_of = [&](std::string_view expression) -> std::optional<double> {
    if (expression.empty()) return std::nullopt;
    const Figure figure = Evaluate(expression, prediction.situation, sources);
    if (figure) return *figure;
    figures.trouble = figure.error().message;
    return std::nullopt;
  };
  const auto* const asked = AskedAs(prediction.quantity);
  TIDEMARK_CHECK(asked != nullptr);  // else it would have been refused
  figures.textbook = figure_of(asked->textbook);
  figures.phantom = figure_of(asked->phantom);
  return figures;
}

FiguresHere FiguresOn(const Page& page, const Sources& sources) {
  FiguresHere figures;
  ForEachText(page, [&](const RichText& text) {
    for (const Span& span : text) {
      if (span.expression.find("phantom.") == std::string::npos) continue;
      const Figure value = Evaluate(span.expression, page.setup.situation, sources);
      if (value && *value) figures[&span] = Restated(span.text, **value);
    }
  });
  return figures;
}

bool IsDrawn(const Prediction& prediction) { return prediction.quantity == kCurve; }

bool IsDone(const Attempt& attempt, const Situation& now) {
  const Result<bool> holds = Holds(now, attempt.changes);
  return holds.ok() && *holds;
}

Result<Lesson> LessonFromMarkdown(std::string_view markdown, const std::string& file) {
  return LessonReader(markdown, file).Read();
}

Result<std::vector<Lesson>> LoadLessons() { return LoadLessonsFrom(AssetsFolder() / "lessons"); }

Result<std::vector<Lesson>> LoadLessonsFrom(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::filesystem::path file = entry.path() / "README.md";
    if (std::filesystem::exists(file)) files.push_back(file);
  }
  if (failure)
    return Error{fmt::format("The lessons in {} cannot be read: {}.", folder.string(), failure.message())};
  std::ranges::sort(files);
  std::vector<Lesson> lessons;
  for (const std::filesystem::path& file : files) {
    Result<Lesson> lesson = LessonFromFile(file);
    if (!lesson) return lesson.error();
    lessons.push_back(std::move(*lesson));
  }
  return lessons;
}

}  // namespace tidemark::lessons
