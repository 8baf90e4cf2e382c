#include "app/presenters/run/prediction_remarks.h"

#include "tests/support/catch.h"

namespace tidemark::presenters {

TEST_CASE("What a prediction leaves out is told without this machine's folders") {
  session::Prediction prediction;
  CHECK(LeftOut(prediction).empty());
  prediction.unknown_sizes = {"RNN of 7", "dropout"};
  CHECK(LeftOut(prediction) == "Not known, counted as 0 in the phantom's prediction: RNN of 7, dropout.");
  prediction.without_workspaces = "/usr/lib/libcudnn.so.9 is not there; install it or 1/2 of it";
  CHECK(LeftOut(prediction) ==
        "cuDNN's workspaces are not included in the phantom's prediction: libcudnn.so.9 is not there; "
        "install it or 1/2 of it. Not known, counted as 0 in the phantom's prediction: RNN of 7, dropout.");
}

TEST_CASE("Of how many steps a prediction is, is told beside a run that is longer and differs") {
  session::Prediction prediction;
  prediction.steps = 3;
  CHECK(OfFewerSteps(prediction, 40, false).empty());
  CHECK(OfFewerSteps(prediction, 3, true).empty());
  CHECK(OfFewerSteps(prediction, 1'040, true).find("is of 3 steps, the run's figures are of 1,040:") !=
        std::string::npos);
  CHECK(OfFewerSteps({}, 40, true).empty());
}

}  // namespace tidemark::presenters
