#include "app/gui/widgets/text.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/lesson_text.h"
#include "app/gui/shell/file_dialog.h"
#include "app/gui/widgets/translation.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE_METHOD(Measured, "Of a run's name that has no room both ends are told") {
  const std::string name = "resnet-50-fp16-batch-16.tide";
  const float width = Measure(Words(), name).x;
  CHECK(FittedEnds(Words(), name, width) == name);
  const std::string cut = FittedEnds(Words(), name, width * 0.7F);
  CHECK(cut.starts_with("resnet-5"));
  CHECK(cut.ends_with("16.tide"));
  CHECK(Measure(Words(), cut).x <= width * 0.7F);
}

TEST_CASE_METHOD(Measured, "A label shows all of a file's name, whatever marks are in it") {
  const std::string label = WholeLabel("a##b###c.tide");
  CHECK(Measure(Words(), label).x == Measure(Words(), "a##b###c.tide").x);
  const auto shown_of = [](const std::string& text) {
    return ImGui::FindRenderedTextEnd(text.c_str()) - text.c_str();
  };
  CHECK(shown_of(label + "##0") == static_cast<std::ptrdiff_t>(label.size()));
  CHECK(WholeLabel("run #1.tide") == "run #1.tide");
}

TEST_CASE_METHOD(Measured, "A file's name is whole in the list of files, whatever marks are in it") {
  FileDialogState state;
  OpenFileDialog(FilePurpose::kOpen, "/nowhere", "", &state);
  state.entries = {{"run##2.tide", false, 1, {}}};
  std::filesystem::path last_folder;
  CommandQueue queue;
  std::string drawn;
  for (int frame = 0; frame < 3; ++frame) {
    drawn = WordsIn({900, 600}, [&] { DrawFileDialog(state, last_folder, queue); });
    ImGui::EndFrame();
    ImGui::NewFrame();
  }
  CHECK(drawn.find(WholeLabel("run##2.tide")) != std::string::npos);
}

TEST_CASE_METHOD(Measured, "A text is whole where there is just room for it, however that was reckoned") {
  for (std::string name = "a.tide"; name.size() < 60; name.insert(0, "w")) {
    for (const float before : {16.0F, 17.0F, 1003.7F}) {
      const float room = (before + Measure(SmallMuted(), name).x) - before;
      CHECK(FittedEnds(SmallMuted(), name, room) == name);
      CHECK(Fitted(SmallMuted(), name, room) == name);
    }
  }
}

TEST_CASE("Facts that are not there leave no mark between the others") {
  CHECK(JoinedFacts({"running", "", "H200"}) == "running · H200");
  CHECK(JoinedFacts({"", "at the peak"}) == "at the peak");
  CHECK(JoinedFacts({"running", ""}) == "running");
  CHECK(JoinedFacts({}).empty());
}

TEST_CASE("A long name keeps how it begins and how it ends") {
  CHECK(WithoutMiddle("short", 10) == "short");
  const std::string name = "void cutlass::Kernel<" + std::string(3000, 'x') + ">(Params)";
  const std::string cut = WithoutMiddle(name, 200);
  CHECK(cut.size() == 200);
  CHECK(cut.starts_with("void cutlass::Kernel<xxx"));
  CHECK(cut.ends_with("xxx>(Params)"));
  CHECK(cut.find(" … ") != std::string::npos);
}

TEST_CASE_METHOD(Measured,
                 "Between the two hyphens of an option there is room in every face, at every size") {
  ImFont* const face = GENERATE(std::mem_fn(&Fonts::words), std::mem_fn(&Fonts::strong),
                                std::mem_fn(&Fonts::numbers))(Faces());
  for (const float size : {12.0F, 15.0F, 30.0F}) {
    const ImFontGlyph* const hyphen = face->GetFontBaked(size)->FindGlyph('-');
    CAPTURE(size, hyphen->AdvanceX, hyphen->X0, hyphen->X1);
    CHECK(hyphen->AdvanceX - (hyphen->X1 - hyphen->X0) >= 0.06F * size);
  }
}

TEST_CASE("No letter of several bytes is cut apart") {
  std::string name;
  for (int i = 0; i < 100; ++i) name += "ü";
  for (size_t most = 20; most < 40; ++most) {
    const std::string cut = WithoutMiddle(name, most);
    CHECK(cut.size() <= most);
    const size_t gap = cut.find(" … ");
    CHECK(gap % 2 == 0);
    CHECK((cut.size() - gap - 5) % 2 == 0);
  }
}

TEST_CASE_METHOD(Measured, "A text is cut where its room ends: it fits, and a letter more would not") {
  const std::string text = "void at::native::vectorized_elementwise_kernel<4, ünüberschaubär>(int, float)";
  for (float width = 0; width < Measure(Words(), text).x; width += 7.3F) {
    const std::string cut = Fitted(Words(), text, width);
    INFO(cut);
    REQUIRE(cut.ends_with("…"));
    const size_t letters = cut.size() - std::string_view("…").size();
    CHECK(text.starts_with(cut.substr(0, letters)));
    if (letters > 0) CHECK(Measure(Words(), cut).x <= width);
    const size_t next = letters + ((text[letters] & 0x80) != 0 ? 2 : 1);
    CHECK(Measure(Words(), text.substr(0, next) + "…").x >= width);
  }
  CHECK(Fitted(Words(), text, 10'000) == text);
}

TEST_CASE_METHOD(Measured, "A word that is wider than a line goes on behind a mark, others stay whole") {
  const std::string text = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True and/or else";
  CHECK(BrokenAtMarks(Words(), text, 10'000) == text);
  const float width = Measure(Words(), "expandable_segments:Tru").x;
  const std::string broken = BrokenAtMarks(Words(), text, width);
  CHECK(broken == "PYTORCH_\nCUDA_ALLOC_CONF=\nexpandable_segments:\nTrue and/or else");
}

TEST_CASE_METHOD(Measured, "However narrow a box is, the names of cards are cut apart") {
  std::vector<std::string> titles = {"cuda:0 · NVIDIA A100-SXM4-80GB", "cuda:1 · NVIDIA A100-SXM4-80GB",
                                     "cuda:2 · NVIDIA A100-SXM4-40GB"};
  const auto cards = phantom::LoadCards();
  REQUIRE(cards);
  REQUIRE(cards->size() > 30);
  for (const phantom::Card& card : *cards)
    titles.push_back("Phantom · " + session::ShortCardTitle(card.title));
  for (const float width : {110.0F, 130.0F, 160.0F, 200.0F}) {
    std::vector<std::string> seen;
    for (const std::string& title : titles) {
      const std::string cut = FittedApart(Words(), title, titles, width);
      INFO(title << " as " << cut);
      CHECK(Measure(Words(), cut).x <= width);
      CHECK(std::ranges::count(seen, cut) == 0);
      seen.push_back(cut);
    }
  }
  const std::string wide = titles.back();
  CHECK(FittedApart(Words(), wide, titles, 1000) == wide);
  CHECK(FittedApart(Words(), "as long as it is", {}, 60) == Fitted(Words(), "as long as it is", 60));
}

TEST_CASE_METHOD(Measured, "Letters of several bytes stay whole where names are cut apart") {
  const std::vector<std::string> names = {"ünüberschaubäres älteres", "ünüberschaubäres nöüeres"};
  const std::string cut = FittedApart(Words(), names[0], names, 90);
  CHECK(cut != FittedApart(Words(), names[1], names, 90));
  const size_t gap = cut.find("…");
  REQUIRE(gap != std::string::npos);
  CHECK(names[0].starts_with(cut.substr(0, gap)));
  CHECK(names[0].ends_with(cut.substr(gap + 3)));
  CHECK((cut[gap + 3] & 0xC0) != 0x80);
}

TEST_CASE_METHOD(Measured, "The name of a layer keeps its end where it is cut, alone and among its like") {
  std::vector<std::string> names;
  for (const char* const block : {"0", "1", "2"}) {
    for (const char* const part :
         {"", ".ln_1", ".attn", ".attn.c_attn", ".attn.c_proj", ".mlp.c_fc", ".mlp.c_proj"})
      names.push_back(std::string("transformer.h.") + block + part);
  }
  for (const float width : {60.0F, 90.0F, 130.0F}) {
    for (const std::string& name : names) {
      if (Measure(Words(), name).x <= width) continue;
      for (const std::string& cut :
           {Fitted(Words(), name, width), FittedApart(Words(), name, names, width)}) {
        INFO(name << " as " << cut);
        CHECK(Measure(Words(), cut).x <= width);
        CHECK(cut.substr(cut.size() - 4) == name.substr(name.size() - 4));
      }
    }
  }
  CHECK(Fitted(Words(), names[3], Measure(Words(), "…h.0.attn.c_attn").x + 1) == "…h.0.attn.c_attn");
  CHECK(FittedApart(Words(), names[3], names, 60) == Fitted(Words(), names[3], 60));  // like that of block 1
  CHECK(Fitted(Words(), "fc.weight exp_avg_sq", 80).ends_with("_sq"));
  CHECK(Fitted(Words(), "forward (net.py:22)", 80).ends_with("py:22)"));
  for (const char* const text : {"A sentence. And another", "void kernel<4>(float4)", "0.0 %, as of all",
                                 "run.tide has nothing like this", "with-mixed-precision.tide"}) {
    CHECK(Fitted(Words(), text, 60).starts_with(std::string(text, 3)));
  }
}

TEST_CASE_METHOD(Measured, "Words of a text that explains its terms are never nearer than a space apart") {
  const lessons::Glossary none;
  ImGui::SetNextWindowSize({900, 600});
  ImGui::Begin("panel");
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const auto gap_after = [&](size_t letters, const auto& draw) {
    const int first = list->VtxBuffer.Size + 4 * static_cast<int>(letters);
    draw();
    return list->VtxBuffer[first].pos.x - list->VtxBuffer[first - 2].pos.x;
  };
  for (const std::string word : {"True", "segments:True", "will", "wide", "of", "expandable"}) {
    INFO(word);
    const std::string text = word + " lets";
    const float plain =
        gap_after(word.size(), [&] { DrawTextAsIs(list, ImGui::GetCursorScreenPos(), SmallMuted(), text); });
    CHECK(gap_after(word.size(), [&] { PutExplained(text, SmallMuted(), &none); }) >= plain - 0.01F);
  }
  ImGui::End();
}

TEST_CASE_METHOD(Measured, "What is told without the mouse stands alone, where it belongs") {
  ImVec2 at;
  const auto frame = [&at](bool tells) {
    ImGui::EndFrame();
    ImGui::NewFrame();
    return WordsIn({300, 200}, [&] {
      at = ImGui::GetCursorScreenPos();
      ImGui::GetIO().AddMousePosEvent(at.x + 5, at.y + 5);
      TooltipOver(at, at + ImVec2(50, 50), "under the mouse");
      if (tells) TellBeside(at, at, "not a number");
      TooltipOver(at, at + ImVec2(50, 50), tells ? "drawn behind it" : "under the mouse");
    });
  };
  for (int i = 0; i < 3; ++i) frame(false);
  CHECK(frame(false).find("under the mouse") != std::string::npos);
  frame(true);
  const std::string told = frame(true);
  CHECK(told.find("not a number") != std::string::npos);
  CHECK(told.find("under the mouse") == std::string::npos);
  CHECK(told.find("drawn behind it") == std::string::npos);
  const ImGuiWindow* const window = ImGui::FindWindowByName("##Tooltip_00");
  REQUIRE(window != nullptr);
  CHECK(window->Pos.x == at.x);
  CHECK(window->Pos.y > at.y);
  frame(false);
  CHECK(frame(false).find("under the mouse") != std::string::npos);
}

TEST_CASE_METHOD(Measured, "Facts that there is no room for are left out as a whole") {
  const std::string facts = "10 segments · 27 blocks · 3.9 kB (< 0.1 %) rounding";
  const float width = Measure(SmallMuted(), facts).x;
  CHECK(FittedFacts(SmallMuted(), facts, width) == facts);
  CHECK(FittedFacts(SmallMuted(), facts, width - 1) == "10 segments · 27 blocks");
  CHECK(FittedFacts(SmallMuted(), facts, 20).ends_with("…"));
}

}  // namespace tidemark::gui
