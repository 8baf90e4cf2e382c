#include "app/presenters/picture/picture.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/presenters/picture/canvas.h"
#include "app/presenters/picture/picture_width.h"
#include "app/presenters/run/run_formats.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

bool IsOneDocument(const std::string& svg) {
  return svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && Count(svg, "<svg") == 1 &&
         svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos;
}

// Under one setting, which theory is about.
timeline::Stream OneStepOfTenMegabytes() {
  timeline::Stream stream;
  const events::NameId settings = stream.Name("{}");
  stream.Mark(0, settings);
  stream.BeginStep(0);
  stream.Allocate(1 << 20, 10'000'000);
  stream.EndStep(0);
  return stream;
}

std::shared_ptr<const timeline::View> SomeSteps() {
  Training training;
  training.Weight(1'000'000);
  for (int step = 0; step < 3; ++step) training.Step(step, 4'000'000, 2'000'000);
  return training.Publish();
}

TEST_CASE("the timeline is drawn with its steps, its legend and its peak") {
  const std::string svg = TimelinePicture(*SomeSteps(), "a <b> & \"c\"");
  CHECK(IsOneDocument(svg));
  CHECK(svg.find("a &lt;b&gt; &amp; &quot;c&quot;") != std::string::npos);
  CHECK(svg.find("At most 7.0 MB allocated") != std::string::npos);
  CHECK(svg.find(">step 0<") != std::string::npos);
  CHECK(svg.find(">activation<") != std::string::npos);
  CHECK(svg.find(">workspace<") == std::string::npos);  // there is none
  CHECK(svg.find(PrintColour(events::Category::kActivation)) != std::string::npos);
}

TEST_CASE("a timeline has the run's bookmarks, each where no other name is") {
  PictureSight sight;
  sight.bookmarks = {{4, "a & b are told here", ""}, {5, "the peak", ""}, {6, "after it", ""}};
  const std::string svg = TimelinePicture(*SomeSteps(), "run", {}, {}, sight);
  CHECK(IsOneDocument(svg));
  std::set<std::string> rows;
  for (const std::string name : {"a &amp; b are told here", "the peak", "after it"}) {
    const size_t at = svg.find(">" + name + "<");
    REQUIRE(at != std::string::npos);
    const size_t y = svg.rfind(" y=\"", at);
    rows.insert(svg.substr(y, svg.find('"', y + 4) - y));
  }
  CHECK(rows.size() == 3);
  std::string name = "ä";
  for (int i = 0; i < 300; ++i) name += " long";
  sight.bookmarks = {{5, name, ""}};
  const std::string cut = TimelinePicture(*SomeSteps(), "run", {}, {}, sight);
  CHECK(IsOneDocument(cut));
  const size_t at = cut.find(">ä long long");
  REQUIRE(at != std::string::npos);
  CHECK(cut.find("…<", at) - at < 200);
}

TEST_CASE("a timeline of a range has its steps, its bookmarks and its peak alone") {
  Training training;
  training.Weight(1'000'000);
  for (int step = 0; step < 3; ++step) training.Step(step, (8 - step) * 1'000'000, 2'000'000);
  const auto view = training.Publish();
  const timeline::Step& step = view->steps()[1];
  PictureSight sight;
  sight.range = EventRange{step.begin, step.end + 1};
  sight.bookmarks = {{static_cast<double>(step.begin - 3), "before", ""},
                     {static_cast<double>(step.peak), "in it", ""}};
  const std::string svg = TimelinePicture(*view, "run", {}, {}, sight);
  CHECK(IsOneDocument(svg));
  CHECK(svg.find("At most 10.0 MB allocated, over " + std::to_string(step.end + 1 - step.begin) +
                 " events") != std::string::npos);
  CHECK(svg.find(">step 1<") != std::string::npos);
  for (const char* const other : {">step 0<", ">step 2<", ">before<"})
    CHECK(svg.find(other) == std::string::npos);
  CHECK(svg.find(">in it<") != std::string::npos);
}

TEST_CASE("a legend of all categories goes on in another row, and the picture reaches below it") {
  timeline::Stream stream;
  for (int i = 0; i < events::kCategoryCount; ++i)
    stream.Allocate(static_cast<uint64_t>(i + 1) << 20, 1'000'000, static_cast<events::Category>(i));
  const std::string svg = TimelinePicture(*stream.Publish(), "all");
  const auto number_before = [&svg](std::string_view text, std::string_view name) {
    const size_t at = svg.rfind(name, svg.find(text)) + name.size();
    return std::stod(svg.substr(at));
  };
  double lowest = 0;
  for (int i = 0; i < events::kCategoryCount; ++i) {
    const std::string name(events::NameOf(static_cast<events::Category>(i)));
    const std::string text = ">" + name + "<";
    REQUIRE(svg.find(text) != std::string::npos);
    CHECK(number_before(text, " x=\"") + 8.0 * static_cast<double>(name.size()) < Canvas::kWidth);
    lowest = std::max(lowest, number_before(text, " y=\""));
  }
  CHECK(lowest + 10 < number_before("viewBox", " height=\""));
}

TEST_CASE("the timeline says what its axis counts, and tells of reserved memory where somebody told it") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 10'000'000);
  const std::string without = TimelinePicture(*stream.Publish(), "on the CPU");
  CHECK(without.find(">events, in their order →<") != std::string::npos);
  CHECK(without.find(">reserved<") == std::string::npos);
  CHECK(without.find("<polyline class=\"reserved\"") == std::string::npos);
  stream.Add(events::EventKind::kSegmentAllocate, 1 << 20, 20'000'000);
  const std::string with = TimelinePicture(*stream.Publish(), "on a card");
  CHECK(Count(with, "<polyline class=\"reserved\"") == 2);  // and in the legend
}

TEST_CASE("theory and the card are lines over the timeline, where the curve leaves room for them") {
  const timeline::Stream stream = OneStepOfTenMegabytes();
  const auto view = stream.Publish();
  REQUIRE(view->settings().size() == 1);
  PictureTheory theory;
  theory.estimates = {{4'000'000, 9'000'000, std::nullopt}};
  theory.capacity.bytes = 12'000'000;
  const std::string all = TimelinePicture(*view, "run", theory);
  CHECK(IsOneDocument(all));
  CHECK(all.find(">textbook 4.0 MB<") != std::string::npos);
  CHECK(all.find(">phantom 9.0 MB<") != std::string::npos);
  CHECK(all.find(">card 12.0 MB<") != std::string::npos);
  CHECK(Count(all, "<line class=\"textbook\"") == 1);
  theory.capacity.bytes = 141'000'000'000;
  const std::string far = TimelinePicture(*view, "run", theory);
  CHECK(far.find("<line class=\"card\"") == std::string::npos);
  CHECK(far.find(">the card has 141.00 GB, above the axis<") != std::string::npos);
  theory.estimates = {{4'000'000, 5'000'000'000, std::nullopt}};
  CHECK(TimelinePicture(*view, "run", theory)
            .find(">phantom 5.00 GB · the card has 141.00 GB, above the axis<") != std::string::npos);
  theory.capacity = {12'000'000, 2};
  CHECK(TimelinePicture(*view, "run", theory).find(">2 cards 12.0 MB<") != std::string::npos);
  CHECK(TimelinePicture(*view, "run").find("<line class=") == std::string::npos);
}

TEST_CASE("a second run lies over the timeline as its curve, and makes room for itself") {
  Training training;
  training.Weight(1'000'000);
  for (int step = 0; step < 3; ++step) training.Step(step, 40'000'000, 2'000'000);
  const auto first = SomeSteps();
  const std::string svg = TimelinePicture(*first, "fp32", {}, SecondRun{training.Publish(), "a & b.tide"});
  CHECK(IsOneDocument(svg));
  CHECK(Count(svg, "<polyline class=\"compared\"") == 2);  // and in the legend
  CHECK(Count(svg, "a &amp; b.tide: at most 43.0 MB allocated") == 1);
  CHECK(Count(svg, ">40.0 MB</text>") == 1);  // on the axis
  CHECK(Count(TimelinePicture(*first, "fp32"), "<polyline class=\"compared\"") == 0);
}

TEST_CASE("names of lines that lie near to each other are pushed apart") {
  const timeline::Stream stream = OneStepOfTenMegabytes();
  PictureTheory theory;
  theory.estimates = {{10'000'000, 10'010'000, std::nullopt}};
  theory.capacity.bytes = 10'020'000;
  const std::string svg = TimelinePicture(*stream.Publish(), "run", theory);
  std::vector<std::pair<double, double>> places;  // where they end, and their baselines
  for (const char* name : {"textbook", "phantom", "card"}) {
    const size_t end = svg.find(std::string("class=\"name ") + name);
    REQUIRE(end != std::string::npos);
    const size_t begin = svg.rfind("<text ", end);
    std::pair<double, double> place;
    REQUIRE(std::sscanf(svg.c_str() + begin, "<text x=\"%lf\" y=\"%lf\"", &place.first, &place.second) == 2);
    for (const auto& [x, y] : places)
      CHECK((std::abs(place.first - x) > 120 || std::abs(place.second - y) >= 16));
    places.push_back(place);
  }
}

TEST_CASE("where the card had no room the timeline says so") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 10'000'000);
  stream.Add(events::EventKind::kOutOfMemory, 0, 4'000'000);
  const std::string svg = TimelinePicture(*stream.Publish(), "run");
  CHECK(IsOneDocument(svg));
  CHECK(Count(svg, ">out of memory: 4.0 MB (4,000,000 B) asked for<") == 1);
}

TEST_CASE("what was asked for where the card had no room is told where it has room beside another") {
  timeline::Stream stream;
  for (uint64_t i = 1; i <= 11; ++i) {
    if (i == 3 || i == 6) {  // a quarter of the width between them
      stream.Add(events::EventKind::kOutOfMemory, 0, 1'000'000'000);
    } else {
      stream.Allocate(i << 20, 512);
    }
  }
  CHECK(Count(TimelinePicture(*stream.Publish(), "run"), ">out of memory: ") == 1);
}

TEST_CASE("where the card had no room its line does not strike that through") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 10'000'000);
  stream.Add(events::EventKind::kOutOfMemory, 0, 4'000'000);
  const auto view = stream.Publish();
  const auto y_before = [](const std::string& svg, const std::string& text, const char* what) {
    const size_t tag = svg.rfind('<', svg.find(text));
    double y = 0;
    REQUIRE(std::sscanf(svg.c_str() + svg.find(what, tag) + std::strlen(what), "%lf", &y) == 1);
    return y;
  };
  for (const int64_t capacity : {10'000'000, 10'500'000, 11'000'000, 11'500'000, 12'000'000}) {
    PictureTheory theory;
    theory.capacity.bytes = capacity;
    const std::string svg = TimelinePicture(*view, "run", theory);
    const double line = y_before(svg, "class=\"card\" x1", "y1=\"");
    const double baseline = y_before(svg, "out of memory:", "y=\"");
    CHECK((line > baseline + 5 || line < baseline - 14));
  }
}

TEST_CASE("requests that would not fit with another setup are told in the picture of both") {
  advice::WhatIf outcome;
  outcome.before.curve = {{.allocated_bytes = 1'000'000, .reserved_bytes = 2'000'000, .failures = 0}};
  outcome.after.curve = {{.allocated_bytes = 900'000, .reserved_bytes = 1'000'000, .failures = 7}};
  outcome.after.failures = 7;
  const auto drawn = [&] { return WhatIfPicture(outcome, {"its own", "half the memory"}, "a run"); };
  CHECK(IsOneDocument(drawn()));
  CHECK(Count(drawn(), "After: It does not fit: 7 of its requests fail.") == 1);
  outcome.after.failures = 0;
  CHECK(Count(drawn(), "does not fit") == 0);
}

TEST_CASE("the breakdown is drawn as bars, and totals after them") {
  const std::string svg = BreakdownPicture(*SomeSteps(), "run");
  CHECK(IsOneDocument(svg));
  CHECK(svg.find("at the peak of the run, in step 2") != std::string::npos);
  CHECK(svg.find(">parameter<") < svg.find(">allocated<"));
  CHECK(svg.find(">7.0 MB<") != std::string::npos);
}

TEST_CASE("the breakdown is of the step in which the run had most") {
  timeline::Stream stream;
  for (int64_t step = 0; step < 2; ++step) {
    stream.BeginStep(step);
    stream.Allocate(1 << 20, step == 0 ? 9'000'000 : 4'000'000);
    stream.Free(1 << 20);
    stream.EndStep(step);
  }
  const std::string svg = BreakdownPicture(*stream.Publish(), "run");
  CHECK(svg.find("at the peak of the run, in step 0<") != std::string::npos);
  CHECK(svg.find(">9.0 MB<") != std::string::npos);
}

TEST_CASE("whatever size a recording claims, its timeline has an axis") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, std::numeric_limits<int64_t>::max() - 1000);
  const std::string svg = TimelinePicture(*stream.Publish(), "run");
  CHECK(IsOneDocument(svg));
  const size_t lines = Count(svg, "stroke=\"#E4E7EB\"");
  CHECK(lines > 3);
  CHECK(lines < 20);
}

TEST_CASE("the map is drawn in rows, and refused where there are no segments") {
  const Result<std::string> none = MapPicture(*SomeSteps(), "run");
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("nobody reported segments") != std::string::npos);
  timeline::Stream stream;
  events::Event& segment = stream.Allocate(0, 8'000'000);
  segment.kind = events::EventKind::kSegmentAllocate;
  segment.address = 1 << 20;
  stream.Allocate(1 << 20, 3'000'000);
  const std::string svg = *MapPicture(*stream.Publish(), "run");
  CHECK(IsOneDocument(svg));
  CHECK(svg.find("1 segment, 8.0 MB reserved") != std::string::npos);
  CHECK(svg.find(">each row 1.0 MB<") != std::string::npos);
  CHECK(svg.find(">200.0 kB<") != std::string::npos);
  CHECK(svg.find(">Memory map at the peak of the run (event 1): ") != std::string::npos);
  // 8 rows of the segment, the block (in whole 512 bytes) in 4 of them, its category and what is free in the
  // legend, and the white behind all.
  CHECK(Count(svg, "<rect ") == 8 + 4 + 2 + 1);
  CHECK(svg.find(">free<") != std::string::npos);
}

TEST_CASE("a map of segments that no memory has is drawn in as many rows, and ends") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 4096, kMost - 8192);
  stream.Add(events::EventKind::kSegmentAllocate, uint64_t{1} << 63, kMost);
  stream.Allocate(4096, 3'000'000);
  const std::string svg = *MapPicture(*stream.Publish(), "run");
  CHECK(IsOneDocument(svg));
  CHECK(Count(svg, "<rect ") < 32);
  CHECK(svg.find("2 segments, 9,223,372") != std::string::npos);
}

TEST_CASE("a block has the map's colour of what it proves to be, as everywhere else") {
  timeline::Stream stream;
  stream.BeginStep(0);
  events::Event& segment = stream.Allocate(0, 8'000'000);
  segment.kind = events::EventKind::kSegmentAllocate;
  segment.address = 1 << 20;
  stream.Allocate(1 << 20, 3'000'000, events::Category::kTemporary);
  stream.Categorize(1 << 20, events::Category::kGradient);
  stream.EndStep(0);
  const std::string svg = *MapPicture(*stream.Publish(), "run");
  CHECK(svg.find(PrintColour(events::Category::kGradient)) != std::string::npos);
  CHECK(svg.find(PrintColour(events::Category::kTemporary)) == std::string::npos);
}

TEST_CASE("the bridge is drawn from level to level") {
  Bridge bridge;
  bridge.moment = "at the peak of step 1";
  bridge.steps = {{BridgeStep::Kind::kLevel, "textbook", 5'000'000, 0, {}, ""},
                  {BridgeStep::Kind::kChange, "rounding", -1'000'000, 5'000'000, {}, ""},
                  {BridgeStep::Kind::kLevel, "allocated", 4'000'000, 0, {}, ""}};
  const std::string svg = BridgePicture(bridge, "run");
  CHECK(IsOneDocument(svg));
  CHECK(svg.find("−1.0 MB") != std::string::npos);
  CHECK(svg.find(">allocated<") != std::string::npos);
}

TEST_CASE("a bridge between sizes that no memory has stays on its page") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Bridge bridge;
  bridge.steps = {{BridgeStep::Kind::kLevel, "textbook", kMost, 0, {}, ""},
                  {BridgeStep::Kind::kChange, "rounding", kMost, kMost, {}, ""}};
  const std::string svg = BridgePicture(bridge, "run");
  CHECK(IsOneDocument(svg));
  // The second bar begins where the first ends, and both are within the page.
  CHECK(svg.find("x=\"-") == std::string::npos);
  CHECK(svg.find("e+") == std::string::npos);
}

TEST_CASE("an empty run has pictures too") {
  const auto view = timeline::Stream().Publish();
  CHECK(IsOneDocument(TimelinePicture(*view, "")));
  CHECK(IsOneDocument(BreakdownPicture(*view, "")));
  CHECK_FALSE(MapPicture(*view, ""));
}

TEST_CASE("a picture can be of any width, and is otherwise the same") {
  const std::string svg = BreakdownPicture(*SomeSteps(), "run");
  const std::string half = WithWidth(svg, 640);
  const size_t same = svg.find(" viewBox");
  CHECK(half.substr(half.find(" viewBox")) == svg.substr(same));
  CHECK(half.find(" width=\"640\" height=\"") == svg.find(" width=\"1280\" height=\""));
  CHECK(WithWidth(half, 1280) == svg);
}

TEST_CASE("formats are told apart by their names and endings") {
  for (const RunFormat& format : RunFormats()) {
    CHECK(FormatOfKey(format.key) == &format);
    CHECK(FormatOfEnding("run.of.mine" + std::string(format.ending)) == &format);
  }
  CHECK(FormatOfKey("pdf") == nullptr);
  CHECK(FormatOfWord("chrome") == FormatOfKey("chrome"));
  CHECK(FormatOfWord("json") == FormatOfKey("chrome"));
  CHECK(FormatOfWord("pdf") == nullptr);
  CHECK(FormatOfWord("") == nullptr);
  CHECK(FormatOfEnding("run") == nullptr);
}

TEST_CASE("a text of a picture or page holds only letters that XML has, whatever a file is called") {
  CHECK(EscapedForXml("a<b> & \"c\"\t\u00e9\u20ac") == "a&lt;b&gt; &amp; &quot;c&quot;\t\u00e9\u20ac");
  CHECK(EscapedForXml(std::string_view("s\x01\0.json", 8)) == "s\ufffd\ufffd.json");
  CHECK(EscapedForXml("\xef\xbf\xbe\xef\xbf\xbf") == "\ufffd\ufffd");  // U+FFFE and U+FFFF
  CHECK(EscapedForXml("a\xff\xc3.b") == "a\ufffd\ufffd.b");            // no UTF-8
}

TEST_CASE("a picture's name tells what it shows") {
  CHECK(PictureViewOfName("a.folder/run.bridge.svg").key == "bridge");
  CHECK(PictureViewOfName("run.map.png").key == "map");
  CHECK(PictureViewOfName("run.MAP.svg").key == "map");
  for (const char* other : {"run.svg", "bridge.svg", ".bridge", "run.of.mine.png", "run.png"})
    CHECK(PictureViewOfName(other).key == "timeline");
  CHECK(PictureViewOfKey("tree") == nullptr);
}

TEST_CASE("every choice to export is told by its ending, and is of the format and view that it names") {
  const std::vector<ExportChoice> choices = ExportChoices();
  constexpr size_t kOtherViews = 3;  // than the timeline, each as a drawing and as a picture
  CHECK(choices.size() == RunFormats().size() + 2 * kOtherViews);
  for (const ExportChoice& choice : choices) {
    CHECK(EndingOfChoice("run" + choice.ending) == choice.ending);
    REQUIRE(FormatOfEnding("run" + choice.ending) != nullptr);
    const bool is_picture = choice.ending.ends_with(".svg") || choice.ending.ends_with(".png");
    if (is_picture) CHECK(choice.title.starts_with(PictureViewOfName("run" + choice.ending).title));
  }
  CHECK(EndingOfChoice("run.of.mine").empty());
}

}  // namespace
}  // namespace tidemark::presenters
