// Lessons: what a person can learn page by page, each page with a state of the window to set up and something
// to predict or to try. A lesson is a folder of assets/lessons with a README.md, so that it reads well on a
// code host too:
//
//   # Title of the lesson
//   One sentence of what it teaches.
//
//   ## Title of a page
//   ```tidemark
//   set network=simple-conv-net batch=64      the situation, kept from page to page (situation.h)
//   show breakdown layers                     panels to bring to the front, by name
//   pin peak                                  the moment that the map and the tree show
//   highlight batch                           controls to point at, for this page
//   lock optimizer                            controls that cannot be changed, for this page
//   ```
// A page of many ranks, of kept losses, or with a check that something does not fit (phantom.fits = 0) is for
// the phantom alone.
//   Paragraphs, lists (-), tables (|), and formulas (indented by four spaces), with figures as rich_text.h
//   reads them.
//
//   > **Predict.** How many MB does a step need? <!-- allocated(batch=128) -->
//   > **Predict.** Draw a step's memory. <!-- curve -->      or: a curve to draw instead of a number
//   > **Reveal.** The reason, which is shown after the prediction.
//   > **Try.** Set the batch to 128. <!-- batch=128 -->    or: batch>=128
//
// Errors name the file and the line. Pure functions, but for those that read files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/lessons/expression.h"
#include "profiler/lessons/rich_text.h"
#include "profiler/lessons/situation.h"

namespace tidemark::lessons {

struct Block {
  enum class Kind : uint8_t { kParagraph, kItem, kTable, kFormula };
  Kind kind = Kind::kParagraph;
  RichText text;                            // of all but tables
  std::vector<std::vector<RichText>> rows;  // of a table, its header first
};

// What the window is to be in.
struct Setup {
  Situation situation;
  std::vector<std::string> show;
  bool pin_peak = false;
  std::vector<std::string> highlight;
  std::vector<std::string> lock;
  std::string phantom_because;  // why no machine is to bear it: "8 ranks take as many GPUs"; "" = any may
  bool operator==(const Setup&) const = default;
};

// A number to guess before it is shown, or a curve to draw: of `quantity`, asked of textbook, phantom and run
// alike (expression.h).
struct Prediction {
  RichText question;
  std::string quantity;  // "allocated": textbook.total, phantom.allocated, and what the run measured
  Situation situation;
  std::vector<RichText> reveal;
};

// Something to do: done when `changes` hold of the settings (situation.h).
struct Attempt {
  RichText text;
  std::string changes;  // "batch=128", "batch>=128"
};

struct Page {
  std::string title;
  Setup setup;
  std::vector<Block> blocks;
  std::optional<Prediction> prediction;
  std::vector<Attempt> attempts;
  std::vector<Claim> claims;  // of everything on the page
};

struct Lesson {
  std::string name;  // of the folder, without its number: "where-memory-goes"
  std::string title;
  RichText summary;
  std::vector<Page> pages;  // at least one
};

// `file` is named in errors.
Result<Lesson> LessonFromMarkdown(std::string_view markdown, const std::string& file);
// All lessons, in the order of their folders' names.
Result<std::vector<Lesson>> LoadLessons();
Result<std::vector<Lesson>> LoadLessonsFrom(const std::filesystem::path& folder);

// Those of the page that the phantom computes, as far as it has answered: a page is written for every cuDNN,
// and each asks for other workspaces.
FiguresHere FiguresOn(const Page& page, const Sources& sources);

// Whether it is drawn, not typed.
bool IsDrawn(const Prediction& prediction);

bool IsDone(const Attempt& attempt, const Situation& now);

// What both say to what a prediction asks for, in bytes. Nothing while it is not there yet, or for ever:
// where one has no such quantity, or `trouble` says why.
struct PredictedFigures {
  std::optional<double> textbook;
  std::optional<double> phantom;
  std::string trouble;
};
PredictedFigures FiguresOf(const Prediction& prediction, const Sources& sources);

}  // namespace tidemark::lessons
