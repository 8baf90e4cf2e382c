#include "app/presenters/advice/batch_curve.h"

#include <set>

#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

// A megabyte a sample; a card of 1 GB; answers come one a frame, as asked.
class Theory {
 public:
  AskTextbook Textbook() {
    return [](const networks::TrainingSettings& settings) { return int64_t{500'000} * settings.batch; };
  }
  AskPrediction Phantom() {
    asked_ = false;
    return [this](const networks::TrainingSettings& settings) -> std::optional<session::Prediction> {
      if (known_.contains(settings.batch)) {
        session::Prediction prediction;
        prediction.allocated_peak_bytes =
            std::min<int64_t>(int64_t{1'000'000} * settings.batch, 1'000'000'000);
        prediction.out_of_memory = settings.batch > 1000;
        if (prediction.out_of_memory) prediction.sentence = "it does not fit";
        return prediction;
      }
      if (!asked_) order_.push_back(settings.batch);
      if (!asked_) known_.insert(settings.batch);
      asked_ = true;
      return std::nullopt;
    };
  }
  const std::vector<int>& order() const { return order_; }

 private:
  bool asked_ = false;
  std::set<int> known_;
  std::vector<int> order_;
};

TEST_CASE("What the textbook answers late is drawn when it is there") {
  Theory theory;
  BatchCurve curve;
  BatchCurve::Question question;
  bool planned = false;
  const AskTextbook late = [&](const networks::TrainingSettings& settings) {
    return planned ? std::optional(int64_t{settings.batch}) : std::nullopt;
  };
  curve.Continue(question, late, theory.Phantom());
  CHECK(curve.textbook().empty());
  CHECK_FALSE(curve.complete());
  planned = true;
  curve.Continue(question, late, theory.Phantom());
  CHECK(curve.textbook().size() > 30);
  CHECK(curve.complete());  // there is no card to ask for
}

TEST_CASE("The textbook's curve is there at once, the phantom's grows from the batch that is looked at") {
  Theory theory;
  BatchCurve curve;
  BatchCurve::Question question;
  question.settings.batch = 48;
  question.setup.card = "h200";
  curve.Continue(question, theory.Textbook(), theory.Phantom());
  REQUIRE(curve.textbook_here());
  CHECK(curve.textbook_here()->bytes == 24'000'000);
  CHECK(curve.textbook().size() > 30);
  CHECK(curve.textbook().front().batch == 1);
  CHECK(curve.textbook().back().batch == networks::kMaxBatch);
  CHECK_FALSE(curve.phantom_here());
  curve.Continue(question, theory.Textbook(), theory.Phantom());
  REQUIRE(curve.phantom_here());
  CHECK(curve.phantom_here()->bytes == 48'000'000);
  for (int frame = 0; frame < 30 && !curve.complete(); ++frame)
    curve.Continue(question, theory.Textbook(), theory.Phantom());
  CHECK(curve.complete());
  CHECK(curve.phantom().size() == 12);  // 1, 2, 4, ... 1024, and 48
  CHECK(theory.order().front() == 48);
  CHECK((theory.order()[1] == 64 || theory.order()[1] == 32));
  CHECK(curve.phantom().back().out_of_memory);
  CHECK(curve.phantom().back().batch == 1024);

  question.settings.batch = 49;  // dragged on: only this one is asked for
  const size_t asked = theory.order().size();
  for (int frame = 0; frame < 3; ++frame) curve.Continue(question, theory.Textbook(), theory.Phantom());
  CHECK(theory.order().size() == asked + 1);
  CHECK(curve.phantom_here()->batch == 49);

  question.settings.batch = 3000;  // larger than what does not fit
  curve.Continue(question, theory.Textbook(), theory.Phantom());
  CHECK(theory.order().size() == asked + 1);
  CHECK(curve.complete());
  CHECK(curve.phantom_here()->batch == 3000);
  CHECK(curve.phantom_here()->out_of_memory);
}

TEST_CASE("A curve that is complete is drawn anew where its answers hold no more") {
  BatchCurve curve;
  BatchCurve::Question question;
  question.setup.card = "h200";
  const auto draw = [&](Theory& theory) {
    for (int frame = 0; frame < 30; ++frame) curve.Continue(question, theory.Textbook(), theory.Phantom());
    REQUIRE(curve.complete());
  };
  Theory before;
  draw(before);
  Theory after;  // with other settings of the allocator
  draw(after);
  CHECK(after.order().empty());
  ++question.edition;
  draw(after);
  CHECK(after.order().size() == before.order().size());
}

}  // namespace
}  // namespace tidemark::presenters
