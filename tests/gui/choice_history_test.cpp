#include "app/gui/choice_history.h"

#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

Choices OfBatch(int batch) {
  Choices choices;
  choices.settings.batch = batch;
  return choices;
}

int BatchOf(const std::optional<Choices>& choices) { return choices ? choices->settings.batch : -1; }

class SecondOne : public session::FakeRun {
 public:
  std::shared_ptr<const timeline::View> view() const override { return nullptr; }
};

}  // namespace

TEST_CASE("What was chosen is undone and done again; a new choice ends what was undone") {
  ChoiceHistory history([](const auto&) {});
  CHECK_FALSE(history.Undo(OfBatch(1)));
  history.Remember(OfBatch(1));
  history.Remember(OfBatch(2));
  CHECK(BatchOf(history.Undo(OfBatch(3))) == 2);
  CHECK(BatchOf(history.Undo(OfBatch(2))) == 1);
  CHECK_FALSE(history.can_undo());
  CHECK(BatchOf(history.Redo(OfBatch(1))) == 2);
  history.Remember(OfBatch(2));
  CHECK_FALSE(history.can_redo());
  history.ForgetLatest();
  CHECK(BatchOf(history.Undo(OfBatch(7))) == 1);
}

TEST_CASE("Runs that nobody can come back to are let go") {
  std::vector<std::shared_ptr<session::Run>> gone;
  ChoiceHistory history([&](std::shared_ptr<session::Run> run) { gone.push_back(std::move(run)); });
  const auto second = std::make_shared<SecondOne>();
  Choices compared = OfBatch(1);
  compared.second = {second, "run.tide"};
  history.Remember(OfBatch(1));
  CHECK(history.Undo(compared));
  history.Remember(OfBatch(2));  // what was undone had a second run
  REQUIRE(gone.size() == 1);
  CHECK(gone.front() == second);

  gone.clear();
  history.Remember(compared);
  for (int i = 0; i < 199; ++i) history.Remember(OfBatch(i));
  const auto is_second = [&](const auto& run) { return run == second; };
  CHECK(std::ranges::none_of(gone, is_second));
  history.Remember(OfBatch(0));
  CHECK(std::ranges::any_of(gone, is_second));
}

TEST_CASE("Runs are alike that have settings, device, allocator and what is told of kernels in common") {
  Choices other = OfBatch(1);
  CHECK(StartAlike(OfBatch(1), other));
  other.second.title = "run.tide";
  CHECK(StartAlike(OfBatch(1), other));
  other.allocator = "max_split_size_mb:64";
  CHECK_FALSE(StartAlike(OfBatch(1), other));
  other.allocator.clear();
  other.kernels = true;
  CHECK_FALSE(StartAlike(OfBatch(1), other));
  CHECK_FALSE(StartAlike(OfBatch(1), OfBatch(2)));
}

}  // namespace tidemark::gui
