#include "app/gui/panels/live_tree.h"

#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

TEST_CASE("The way that is told leads to what is drawn, though more was gone into in another run") {
  presenters::LiveTree tree;
  tree.nodes.resize(3);
  for (size_t i = 0; i < 2; ++i) {
    tree.nodes[i].first_child = i + 1;
    tree.nodes[i].children = 1;
    tree.nodes[i + 1].parent = i;
  }
  tree.nodes[1].title = "gradient";
  tree.nodes[2].title = "fc1";
  using Titles = std::vector<std::string>;
  CHECK(TitlesToShown(tree, {}) == Titles{"everything alive"});
  CHECK(TitlesToShown(tree, {"gradient", "fc1"}) == Titles{"everything alive", "gradient", "fc1"});
  CHECK(TitlesToShown(tree, {"gradient", "fc", "fc.bias.grad"}) == Titles{"everything alive", "gradient"});
  CHECK(TitlesToShown(tree, {"activation", "fc1"}) == Titles{"everything alive"});
}

TEST_CASE("Of a path that finds no room the middle is left out, and where one is stays") {
  using Shown = std::vector<size_t>;
  const auto fit = [](const std::vector<float>& widths, float room) {
    return CrumbsThatFit(widths, 10, 5, room);
  };
  CHECK(fit({80}, 20) == Shown{0});
  CHECK(fit({80, 40, 40, 40}, 230) == Shown{0, 1, 2, 3});
  CHECK(fit({80, 40, 40, 40}, 229) == Shown{0, 2, 3});
  CHECK(fit({80, 40, 40, 40}, 194) == Shown{0, 3});
  CHECK(fit({80, 40, 40, 40}, 144) == Shown{2, 3});  // not even the first
  CHECK(fit({80, 40, 40, 40}, 100) == Shown{3});
  CHECK(fit({80, 40}, 100) == Shown{1});
  CHECK(fit({80, 400}, 100) == Shown{1});
}

TEST_CASE_METHOD(Measured, "What is alive by code says how to have lines where the run tells none") {
  for (const char* const stack : {"", "aten::mm", "aten::mm ← step (train.py:30) ← main (train.py:40)"}) {
    timeline::Stream stream;
    const events::NameId op = stream.Name(stack);
    stream.Allocate(512, 1 << 20).op = *stack == 0 ? 0 : op;
    const auto view = stream.Publish();
    const timeline::State state = view->StateAt(stream.latest());
    const auto tree = presenters::MakeLiveTree(*view, state, KeysOf(TreeGrouping::kCallStack), {},
                                               [](double) { return true; });
    REQUIRE(tree);
    LiveTreeInput input;
    input.tree = &*tree;
    input.grouping = TreeGrouping::kCallStack;
    LiveTreeState shown;
    CommandQueue queue;
    const std::string drawn = WordsIn(
        {900, 400}, [&] { DrawLiveTreePanel(input, shown, queue); }, "panel " + std::string(stack));
    CHECK((drawn.find("--stacks python") == std::string::npos) == (std::string_view(stack).size() > 10));
    input.is_of_ours = true;
    const std::string of_ours = WordsIn(
        {900, 400}, [&] { DrawLiveTreePanel(input, shown, queue); }, "ours " + std::string(stack));
    CHECK(of_ours.find("--stacks python") == std::string::npos);
  }
}

TEST_CASE_METHOD(Measured, "A tree of differences says of what its colours tell") {
  presenters::LiveTree tree;
  tree.nodes.resize(2);
  tree.nodes[0].first_child = tree.nodes[0].children = 1;
  for (presenters::TreeNode& node : tree.nodes) {
    node.bytes = 100 << 20;
    node.sides = presenters::TreeSides{0, 100 << 20, 0, 1};
  }
  LiveTreeInput input;
  input.tree = &tree;
  LiveTreeState shown;
  CommandQueue queue;
  const auto words = [&](const char* name) {
    return WordsIn(
        {900, 400}, [&] { DrawLiveTreePanel(input, shown, queue); }, name);
  };
  input.compares = true;  // what is shown is one side alone
  CHECK(words("alone").find("less") == std::string::npos);
  input.sides = TreeSidesTitles{"this run", "fp16.tide"};
  const std::string drawn = words("compared");
  for (const char* const text : {"less", "the same", "more", "from this run to fp16.tide"}) {
    INFO(text);
    CHECK(drawn.find(text) != std::string::npos);
  }
}

}  // namespace tidemark::gui
