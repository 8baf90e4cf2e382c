// Layers and operators as LibTorch would have them, played by the test on a stream of its own.
#include "profiler/capture/operators/layer_scopes.h"

#include <string>
#include <thread>
#include <vector>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/forward_places.h"
#include "profiler/capture/operators/operator_scopes.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"
#include "tests/unit/capture_operators/own_stream.h"

namespace tidemark::capture {
namespace {

using events::EventKind;

// "begin layer1.conv", "begin relu in layer1", "end ...", each once it was told.
std::vector<std::string> Told() {
  std::vector<std::string> told;
  for (const events::Event& event : Emitted()) {
    if (event.kind != EventKind::kScopeBegin && event.kind != EventKind::kScopeEnd) continue;
    std::string text = event.kind == EventKind::kScopeBegin ? "begin " : "end ";
    text += event.op == 0 ? NameOf(event.layer) : NameOf(event.op) + " in " + NameOf(event.layer);
    told.push_back(text + (event.recompute != 0 ? " again" : ""));
  }
  return told;
}

// An operator that makes a node, and what it runs.
template <typename Inside>
void Operator(const char* name, Inside inside) {
  OperatorCall call;
  call.name = name;
  call.thread = place.thread;
  call.next_node = place.next_node++;
  if (OperatorEnters()) OperatorBegins(call);
  inside();
  OperatorEnds();
}
void Operator(const char* name) {
  Operator(name, [] {});
}

// A backward node as the engine runs it: two calls, the outer without a number.
template <typename Inside>
void Node(const char* name, uint64_t number, Inside inside) {
  OperatorCall around;
  const std::string whole = std::string("autograd::engine::evaluate_function: ") + name;
  around.name = whole;
  if (OperatorEnters()) OperatorBegins(around);
  OperatorCall call;
  call.name = name;
  call.is_backward_node = true;
  call.node = number;
  call.forward_thread = 1;
  if (OperatorEnters()) OperatorBegins(call);
  inside();
  OperatorEnds();
  OperatorEnds();
}

struct Layer {
  explicit Layer(const char* name) { BeginLayer(Intern(name)); }
  ~Layer() { EndLayer(); }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
};

// Nodes 0 (no layer's), 1 and 3 (net's), 2 (net.conv's).
void Forward() {
  place.next_node = 0;
  Operator("before");
  const Layer net("net");
  Operator("first");
  {
    const Layer conv("net.conv");
    Operator("conv2d");
  }
  Operator("last");
}

}  // namespace

TEST_CASE("A layer is a scope, and a backward node is of the layer that made it, whichever is around that") {
  Ring();
  Told();
  Forward();
  CHECK(Told() == std::vector<std::string>{"begin before in ", "end before in ", "begin net",
                                           "begin first in net", "end first in net", "begin net.conv",
                                           "begin conv2d in net.conv", "end conv2d in net.conv",
                                           "end net.conv", "begin last in net", "end last in net",
                                           "end net"});
  std::thread([] {
    place = {2, 0};
    for (uint64_t number = 4; number-- > 0;) Node("Node", number, [] {});
  }).join();
  CHECK(Told() == std::vector<std::string>{"begin Node in net", "end Node in net", "begin Node in net.conv",
                                           "end Node in net.conv", "begin Node in net", "end Node in net",
                                           "begin Node in ", "end Node in "});
}

TEST_CASE("What checkpointing runs within a node is told as what it is, the backward of that, too") {
  Ring();
  Forward();
  Told();
  Node("CheckpointFunctionBackward", 1, [] {
    {
      const Layer conv("net.conv");
      Operator("conv2d");
    }
    BeginEngine();
    Node("ConvolutionBackward", place.next_node - 1, [] {});
    EndEngine();
    CHECK(CurrentAttribution().layer == Intern("net"));
  });
  CHECK(Told() == std::vector<std::string>{"begin CheckpointFunctionBackward in net", "begin net.conv again",
                                           "begin conv2d in net.conv again", "end conv2d in net.conv again",
                                           "end net.conv again", "begin ConvolutionBackward in net.conv",
                                           "end ConvolutionBackward in net.conv",
                                           "end CheckpointFunctionBackward in net"});
}

TEST_CASE("Of threads that ended the newest 65,536 places are kept, whatever was remembered at them") {
  Ring();
  constexpr uint64_t kFirst = 1000;
  constexpr uint64_t kThreads = 300;
  constexpr uint64_t kPlaces = 500;  // of each thread
  const events::NameId layer = Intern("net");
  for (uint64_t number = kFirst; number < kFirst + kThreads; ++number) {
    std::thread([&] {
      for (place = {number, 0}; place.next_node < kPlaces; ++place.next_node) {
        RememberForwardStack(place);
        RememberForwardLayer(layer);
      }
    }).join();
  }
  uint64_t kept = 0;
  for (uint64_t number = kFirst; number < kFirst + kThreads; ++number) {
    const MadeAt made_at = PlaceOfNode(number, kPlaces - 1);
    if (made_at.layer == layer && made_at.stack != 0) ++kept;
  }
  CHECK(kept == 65'536 / kPlaces);
  CHECK(PlaceOfNode(kFirst, 0).layer == 0);
  CHECK(PlaceOfNode(kFirst + kThreads - 1, 0).layer == layer);
}

TEST_CASE("A layer that ends without having begun, or within an operator, leaves all else as it was") {
  Ring();
  Told();
  EndLayer();
  Operator("custom", [] {
    const Layer inside("inside");
    Operator("add");
  });
  CHECK(Told() == std::vector<std::string>{"begin custom in ", "begin inside", "begin add in inside",
                                           "end add in inside", "end inside", "end custom in "});
  CHECK(CurrentAttribution().layer == 0);
}

TEST_CASE("What an optimizer makes of zeros is its state from birth, though memory may end its step") {
  Ring();
  const auto born_in = [](const char* name) {
    events::Category category{};
    Operator(name, [&] { category = BirthCategory(); });
    return category;
  };
  CHECK(born_in("aten::zeros_like") == events::Category::kTemporary);
  {
    const OptimizerStepScope step;
    CHECK(born_in("aten::zeros_like") == events::Category::kOptimizerState);
    CHECK(born_in("aten::clone") == events::Category::kOptimizerState);
    CHECK(born_in("aten::sqrt") == events::Category::kTemporary);
    CHECK(BirthCategory() == events::Category::kTemporary);
  }
  CHECK(born_in("aten::clone") == events::Category::kTemporary);
}

TEST_CASE("The call of an outermost layer may be an evaluation, which ends with it") {
  Ring();
  static bool records_gradients = false;
  static std::vector<std::string> evaluations;
  SetEvaluationListener({[] {
                           evaluations.emplace_back(records_gradients ? "asked" : "begins");
                           return !records_gradients;
                         },
                         [] { evaluations.emplace_back("ends"); }});
  {
    const Layer net("net");
    CHECK(BirthCategory() == events::Category::kTemporary);
    CHECK(current_context.evaluates);
    const Layer inside("net.conv");
    Operator("conv2d", [] { CHECK(current_context.evaluates); });
    BeginEngine();
    { const Layer again("net.conv"); }
    EndEngine();
    CHECK(current_context.evaluates);
    CHECK(evaluations == std::vector<std::string>{"begins"});
  }
  CHECK(evaluations == std::vector<std::string>{"begins", "ends"});
  CHECK_FALSE(current_context.evaluates);
  Operator("CheckpointFunction", [] { const Layer inside("net"); });
  BeginEngine();
  { const Layer again("net"); }
  EndEngine();
  CHECK(evaluations.size() == 2);  // neither is an outermost one
  records_gradients = true;
  {
    const Layer net("net");
    records_gradients = false;
    const Layer teacher("net.teacher");
    CHECK_FALSE(current_context.evaluates);
  }
  CHECK(evaluations == std::vector<std::string>{"begins", "ends", "asked"});
  std::thread([] { const Layer of_another("net"); }).join();
  CHECK(evaluations.size() == 5);
  SetEvaluationListener({});
  Told();
}

TEST_CASE("What is made in an evaluation is temporary, though what is made elsewhere is unknown") {
  Ring();
  SetUsualBirthCategory(events::Category::kUnknown);
  SetEvaluationListener({[] { return true; }, [] {}});
  CHECK(BirthCategory() == events::Category::kUnknown);
  {
    const Layer net("net");
    CHECK(BirthCategory() == events::Category::kTemporary);
    const BirthScope cast(events::Category::kAutocastCache, 0);
    CHECK(BirthCategory() == events::Category::kAutocastCache);
  }
  CHECK(BirthCategory() == events::Category::kUnknown);
  SetEvaluationListener({});
  SetUsualBirthCategory(events::Category::kTemporary);
  Told();
}

}  // namespace tidemark::capture
