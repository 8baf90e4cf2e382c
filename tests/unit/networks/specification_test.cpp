#include "profiler/networks/specification.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::networks;

namespace {

Network FromZoo(std::string_view name) {
  const Result<Network> network = FindNetworkIn(TIDEMARK_ZOO, name);
  INFO((network ? std::string() : network.error().message));
  REQUIRE(network.ok());
  return *network;
}

// A network with one layer between the braces, and what is said about it.
std::string ComplaintAbout(
    const std::string& layers,
    const std::string& rest = R"("title": "T", "description": "D", "input": [3, 8, 8], "classes": 10)") {
  const Result<Network> network = NetworkFromJson("{" + rest + R"(, "layers": [)" + layers + "]}");
  return network ? "accepted" : network.error().message;
}

// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tidemark-networks-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

constexpr const char* kTiny = R"({"title": "Tiny", "description": "One layer.", "input": [4], "classes": 2,
                                  "layers": [{"name": "fc", "kind": "linear", "in": 4, "out": 2}]})";

}  // namespace

TEST_CASE("SimpleConvNet has the sizes of the classic table") {
  const Network network = FromZoo("simple-conv-net");
  CHECK(network.title == "SimpleConvNet");
  REQUIRE(network.layers.size() == 6);
  const Layer& conv1 = network.layers[0];
  CHECK(conv1.name == "conv1");
  CHECK(conv1.parameters() == 1'792);
  CHECK(conv1.output == SampleShape{64, 30, 30});
  const Layer& conv2 = network.layers[2];
  CHECK(conv2.parameters() == 73'856);
  CHECK(conv2.output == SampleShape{128, 28, 28});
  CHECK(network.layers[4].output == SampleShape{100'352});
  const Layer& fc = network.layers[5];
  CHECK(fc.name == "fc");
  CHECK(fc.weight_elements == 1'003'520);
  CHECK(fc.bias_elements == 10);
  CHECK(network.parameters() == 1'079'178);
}

TEST_CASE("SmallerConvNet has half the channels") {
  const Network network = FromZoo("smaller-conv-net");
  CHECK(network.layers[0].parameters() == 896);
  CHECK(network.layers[2].parameters() == 18'496);
  CHECK(network.layers[5].parameters() == 501'770);
}

TEST_CASE("Shapes are written with their sizes") {
  CHECK(TextOf(SampleShape{3, 32, 32}) == "3×32×32");
  CHECK(TextOf(SampleShape{10}) == "10");
  CHECK(ElementCount({3, 32, 32}) == 3'072);
}

TEST_CASE("Checkpointed pieces begin at layers with parameters") {
  const Network network = FromZoo("simple-conv-net");  // conv1 relu1 | conv2 relu2 flatten | fc
  using Boundaries = std::vector<size_t>;
  CHECK(CheckpointBoundaries(network, {}).empty());
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kByLayer, 0}) == Boundaries{0, 2, 5, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kSegments, 1}) == Boundaries{0, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kSegments, 2}) == Boundaries{0, 5, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kSegments, 3}) == Boundaries{0, 2, 5, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kSegments, 64}) == Boundaries{0, 2, 5, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kEvery, 1}) == Boundaries{0, 2, 5, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kEvery, 2}) == Boundaries{0, 5, 6});
  CHECK(CheckpointBoundaries(network, {CheckpointMode::kEvery, 9}) == Boundaries{0, 6});
}

TEST_CASE("Layers before the first with parameters belong to its piece") {
  const Result<Network> network = NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [2, 2, 2], "classes": 3, "layers": [
          {"name": "relu0", "kind": "relu"}, {"name": "flat", "kind": "flatten"},
          {"name": "a", "kind": "linear", "in": 8, "out": 5}, {"name": "b", "kind": "linear", "in": 5, "out": 3}]})");
  REQUIRE(network.ok());
  CHECK(CheckpointBoundaries(*network, {CheckpointMode::kByLayer, 0}) == std::vector<size_t>{0, 3, 4});
}

TEST_CASE("Every fault of a layer is told with its name") {
  const auto [layers, complaint] = GENERATE(table<std::string, std::string>({
      {R"({"kind": "relu"})", "Layer 1 (line 1): 'name' must be a text."},
      {R"(7)", "Layer 1 must be an object with a name and a kind."},
      {R"({"name": "a.b", "kind": "relu"})",
       "Layer 1 (line 1): 'name' must be 1 to 64 letters, digits or '_', and not 'input'."},
      {R"({"name": "r", "kind": "rleu"})",
       "Layer 'r' (line 1): There is no kind of layer 'rleu'; did you mean 'relu'? Known: conv2d, relu, "
       "flatten, "
       "linear, conv_transpose2d, relu6, leaky_relu, gelu, sigmoid, tanh, max_pool2d, avg_pool2d, "
       "adaptive_avg_pool2d, batch_norm2d, layer_norm, dropout, add, concat, upsample, embedding, "
       "position_embedding, segment_embedding, class_token, to_sequence, first_token, attention, lstm."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": 8, "kernel": 3, "paddding": 1})",
       "Layer 'c' (line 1): There is no key 'paddding'; did you mean 'padding'? Known: name, kind, inputs, "
       "in, out, "
       "kernel, stride, padding, groups, bias."},
      {R"({"name": "r", "kind": "relu", "in": 3})",
       "Layer 'r' (line 1): There is no key 'in'. Known: name, kind, inputs."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": "x", "kernel": 3})",
       "Layer 'c' (line 1): 'out' must be a whole number from 1 to 4194304."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": 8, "kernel": 0})",
       "Layer 'c' (line 1): 'kernel' must be a whole number from 1 to 4194304."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": 8, "kernel": 3, "padding": -1})",
       "Layer 'c' (line 1): 'padding' must be a whole number from 0 to 4194304."},
      {R"({"name": "c", "kind": "conv2d", "in": 4, "out": 8, "kernel": 3})",
       "Layer 'c' (line 1) does not fit: 'in' is 4, but 3 channels come in."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": 8, "kernel": 9})",
       "Layer 'c' (line 1) does not fit: a kernel of 9 does not fit into 3×8×8."},
      {R"({"name": "l", "kind": "linear", "in": 192, "out": 10})",
       "Layer 'l' (line 1) does not fit: it needs one row of features, or a sequence of them, not 3×8×8; put "
       "a flatten "
       "before it."},
      {R"({"name": "f", "kind": "flatten"}, {"name": "l", "kind": "linear", "in": 191, "out": 10})",
       "Layer 'l' (line 1) does not fit: 'in' is 191, but 192 features come in."},
      {R"({"name": "f", "kind": "flatten"}, {"name": "c", "kind": "conv2d", "in": 192, "out": 8, "kernel": 3})",
       "Layer 'c' (line 1) does not fit: it needs an image, not 192."},
      {R"({"name": "r", "kind": "relu"}, {"name": "r", "kind": "relu"})",
       "Layer 2 (line 1): two layers are called 'r'; give each a name of its own."},
      {R"({"name": "f", "kind": "flatten"})", "The last layer gives 192, but there are 10 classes."},
      {R"()", "'layers' must be a list of 1 to 1024 layers."},
  }));
  CHECK(ComplaintAbout(layers) == complaint);
}

TEST_CASE("Every fault of the network itself is told") {
  const std::string relu = R"({"name": "r", "kind": "relu"})";
  const auto [rest, complaint] = GENERATE(table<std::string, std::string>({
      {R"("description": "D", "input": [3], "classes": 3)", "'title' must be a text."},
      {R"("title": "T", "description": 1, "input": [3], "classes": 3)", "'description' must be a text."},
      {R"("title": "T", "description": "D", "input": [], "classes": 3)",
       "'input' must be the shape of one sample, like [3, 32, 32]."},
      {R"("title": "T", "description": "D", "input": [0], "classes": 3)",
       "'input' must be the shape of one sample, like [3, 32, 32]."},
      {R"("title": "T", "description": "D", "input": [3.5], "classes": 3)",
       "'input' must be the shape of one sample, like [3, 32, 32]."},
      {R"("title": "T", "description": "D", "input": [3], "classes": 1)",
       "'classes' must be a whole number from 2 to 4194304."},
      {R"("title": "T", "description": "D", "inputs": [3], "classes": 3)",
       "There is no key 'inputs'; did you mean 'input'? Known: title, description, input, vocabulary, "
       "classes, "
       "layers, generator, discriminator."},
  }));
  CHECK(ComplaintAbout(relu, rest) == complaint);
  CHECK(ComplaintAbout(relu, R"("title": "T", "description": "D", "input": [3], "classes": 3)") ==
        "No layer has parameters, so there is nothing to train. Add one that has, as linear.");
  CHECK_FALSE(NetworkFromJson("").ok());
  CHECK_FALSE(NetworkFromJson("[1, 2]").ok());
  CHECK_FALSE(NetworkFromJson("{\"title\": ").ok());
}

TEST_CASE("Sizes that no memory holds are refused before they overflow") {
  CHECK(ComplaintAbout(
            R"({"name": "c", "kind": "conv2d", "in": 3, "out": 4194304, "kernel": 3000, "padding": 4000})") ==
        "Layer 'c' (line 1) does not fit: it is too large: more than 1099511627776 elements.");
  CHECK(ComplaintAbout(R"({"name": "l", "kind": "linear", "in": 4194304, "out": 4194304})",
                       R"("title": "T", "description": "D", "input": [4194304], "classes": 10)") ==
        "Layer 'l' (line 1) does not fit: it is too large: more than 1099511627776 elements.");
  // More than 64 bits hold.
  CHECK(ComplaintAbout(
            R"({"name": "a", "kind": "conv_transpose2d", "in": 1, "out": 1, "kernel": 1, "stride": 4194304},
               {"name": "b", "kind": "conv_transpose2d", "in": 1, "out": 4, "kernel": 1, "stride": 4194304})",
            R"("title": "T", "description": "D", "input": [1, 262144, 1], "classes": 10)") ==
        "Layer 'b' (line 2) does not fit: it is too large: more than 1099511627776 elements.");
  CHECK(
      ComplaintAbout(R"({"name": "l", "kind": "lstm", "in": 4194304, "hidden": 4194304, "layers": 4194304})",
                     R"("title": "T", "description": "D", "input": [4, 4194304], "classes": 10)") ==
      "Layer 'l' (line 1) does not fit: it is too large: more than 1099511627776 elements.");
  // Each layer is small enough; together they are not.
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += (i ? ", " : "") + std::string(R"({"name": "r)") + std::to_string(i) + R"(", "kind": "relu"})";
  }
  CHECK(ComplaintAbout(many,
                       R"("title": "T", "description": "D", "input": [2048, 2048, 2048], "classes": 10)") ==
        "The network is too large: its layers have more than 1099511627776 elements.");
}

TEST_CASE("Graphs that do not fit together are told with both shapes") {
  const std::string a = R"({"name": "a", "kind": "conv2d", "in": 3, "out": 4, "kernel": 3}, )";
  const auto [layers, complaint] = GENERATE_COPY(table<std::string, std::string>({
      {a + R"({"name": "s", "kind": "add", "inputs": ["a", "input"]})",
       "Layer 's' (line 1) does not fit: it adds 4×6×6 and 3×8×8; both must have one shape."},
      {a + R"({"name": "s", "kind": "concat", "inputs": ["a", "input"]})",
       "Layer 's' (line 1) does not fit: it joins 4×6×6 and 3×8×8; only the first size may differ."},
      {a + R"({"name": "s", "kind": "add"})",
       "Layer 's' (line 1) does not fit: it takes 2 inputs, not 1; name them in 'inputs'."},
      {a + R"({"name": "s", "kind": "relu", "inputs": ["inptu"]})",
       "Layer 's' (line 1): no layer before it is called 'inptu'; did you mean 'input'?"},
      {a + R"({"name": "s", "kind": "relu", "inputs": []})",
       "Layer 's' (line 1): 'inputs' must be a list of layers before it."},
      {a + R"({"name": "s", "kind": "relu", "inputs": ["input"]})",
       "Layer 'a': no layer takes its output; name it in another's 'inputs', or leave it out."},
      {R"({"name": "e", "kind": "embedding", "in": 7, "out": 4})",
       "Layer 'e' (line 1) does not fit: it takes the network's tokens (give the network a 'vocabulary'), "
       "not 3×8×8."},
      {R"({"name": "n", "kind": "attention", "heads": 2})",
       "Layer 'n' (line 1) does not fit: it needs a sequence (tokens × features), not 3×8×8."},
      {R"({"name": "q", "kind": "to_sequence"}, {"name": "n", "kind": "attention", "heads": 2})",
       "Layer 'n' (line 1) does not fit: 3 features cannot be shared out among 2 heads of queries, keys and "
       "values."},
      {R"({"name": "q", "kind": "to_sequence"}, {"name": "p", "kind": "position_embedding", "length": 63})",
       "Layer 'p' (line 1) does not fit: it has 63 positions, but 64×3 comes in."},
      {R"({"name": "d", "kind": "dropout", "p": 1})",
       "Layer 'd' (line 1) does not fit: 'p' must be above 0 and below 1, not 1."},
      {R"({"name": "d", "kind": "dropout"})", "Layer 'd' (line 1): 'p' must be a number."},
      {R"({"name": "q", "kind": "to_sequence"}, {"name": "l", "kind": "lstm", "in": 4, "hidden": 5})",
       "Layer 'l' (line 1) does not fit: 'in' is 4, but 3 features come in."},
      {R"({"name": "l", "kind": "lstm", "in": 3, "hidden": 5})",
       "Layer 'l' (line 1) does not fit: it needs a sequence (tokens × features), not 3×8×8."},
      {R"({"name": "q", "kind": "to_sequence"}, {"name": "l", "kind": "lstm", "in": 3, "hidden": 5, "dropout": 0.5})",
       "Layer 'l' (line 1) does not fit: its 'dropout' is between layers, and it has one; leave it out, or "
       "give it more 'layers'."},
      {R"({"name": "q", "kind": "to_sequence"}, {"name": "l", "kind": "lstm", "in": 3, "hidden": 5, "layers": 2, "dropout": 1})",
       "Layer 'l' (line 1) does not fit: 'dropout' must be at least 0 and below 1, not 1."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": 4, "kernel": 1, "groups": 2})",
       "Layer 'c' (line 1) does not fit: 2 groups do not divide 3 channels in and 4 out."},
      {R"({"name": "c", "kind": "conv2d", "in": 3, "out": 4, "kernel": 1, "bias": 1})",
       "Layer 'c' (line 1): 'bias' must be true or false."},
      {R"({"name": "m", "kind": "max_pool2d", "kernel": 2, "padding": 2})",
       "Layer 'm' (line 1) does not fit: a padding of 2 is more than half of the kernel, 2."},
  }));
  CHECK(ComplaintAbout(layers) == complaint);
}

TEST_CASE("A network of tokens begins with an embedding, whose table a linear layer may share") {
  const std::string rest = R"("title": "T", "description": "D", "input": [6], "vocabulary": 9, "classes": 9)";
  const std::string table = R"({"name": "t", "kind": "embedding", "in": 9, "out": 4}, )";
  CHECK(ComplaintAbout(R"({"name": "r", "kind": "relu"})", rest) ==
        "Layer 'r' (line 1) does not fit: the network's input are tokens, which only an embedding takes; put "
        "one before "
        "it.");
  CHECK(ComplaintAbout(R"({"name": "t", "kind": "embedding", "in": 8, "out": 4})", rest) ==
        "Layer 't' (line 1) does not fit: its table has 8 tokens, but the vocabulary 9.");
  CHECK(ComplaintAbout(table + R"({"name": "h", "kind": "linear", "in": 4, "out": 8, "weights_of": "t"})",
                       rest) == "Layer 'h' (line 1): its weight is 8×4, but the table of 't' is 9×4.");
  CHECK(ComplaintAbout(table + R"({"name": "h", "kind": "linear", "in": 4, "out": 9, "weights_of": "input"})",
                       rest) == "Layer 'h' (line 1): 'weights_of' must name an embedding.");
  const Result<Network> network = NetworkFromJson(
      "{" + rest + R"(, "layers": [)" + table +
      R"({"name": "h", "kind": "linear", "in": 4, "out": 9, "weights_of": "t", "bias": false}]})");
  REQUIRE(network.ok());
  CHECK(network->parameters() == 36);
  CHECK(network->labels() == SampleShape{6});
}

TEST_CASE("An LSTM has four matrices for what comes in and four for what it gave, and two biases each") {
  const Result<Network> network = NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [3, 4, 6], "classes": 5, "layers": [
          {"name": "q", "kind": "to_sequence"}, {"name": "l", "kind": "lstm", "in": 3, "hidden": 5, "layers": 2}]})");
  REQUIRE(network.ok());
  const Layer& lstm = network->layers[1];
  CHECK(lstm.output == SampleShape{24, 5});
  CHECK(lstm.weight_elements == 20 * (3 + 5) + 20 * (5 + 5));
  CHECK(lstm.bias_elements == 2 * 2 * 20);
}

namespace {

constexpr const char* kMakes = R"([{"name": "g1", "kind": "linear", "in": 2, "out": 3},
                                   {"name": "g2", "kind": "linear", "in": 3, "out": 4}])";

// Two networks of linear layers, with what differs between the braces.
Result<Network> Adversaries(const std::string& discriminator, const std::string& more = "") {
  return NetworkFromJson(R"({"title": "T", "description": "D", "input": [2], "generator": )" +
                         std::string(kMakes) + R"(, "discriminator": )" + discriminator + more + "}");
}

}  // namespace

TEST_CASE("Two networks against each other are one file: what the first makes the second judges") {
  const Result<Network> network = Adversaries(R"([{"name": "d1", "kind": "linear", "in": 4, "out": 1}])");
  REQUIRE(network.ok());
  CHECK(network->discriminator == 2);
  CHECK(network->sample() == SampleShape{4});
  CHECK(network->parameters() == 9 + 16 + 5);
  CHECK(FromZoo("dcgan").sample() == SampleShape{3, 32, 32});
  CHECK(FromZoo("simple-conv-net").sample() == FromZoo("simple-conv-net").input);
}

TEST_CASE("Two networks that do not fit together are told") {
  const std::string judge = R"({"name": "d1", "kind": "linear", "in": 4, "out": 1})";
  const auto [discriminator, more, complaint] = GENERATE_COPY(table<std::string, std::string, std::string>({
      {R"([{"name": "d1", "kind": "linear", "in": 5, "out": 1}])", "",
       "Layer 'd1' (line 2) does not fit: 'in' is 5, but 4 features come in."},
      {R"([{"name": "d1", "kind": "linear", "in": 4, "out": 2}])", "",
       "The discriminator gives 2; it must give one score, 1."},
      {R"([{"name": "d1", "kind": "linear", "in": 3, "out": 1, "inputs": ["g1"]}])", "",
       "Layer 'd1' (line 2): it is the discriminator's, which sees samples, not 'g1'."},
      {R"([{"name": "d1", "kind": "linear", "in": 2, "out": 1, "inputs": ["input"]}])", "",
       "Layer 'd1' (line 2): it is the discriminator's, which sees samples, not 'input'."},
      {"[]", "", "'discriminator' must be a list of 1 to 1024 layers."},
      {"[" + judge + "]", R"(, "classes": 2)",
       "A generator and a discriminator need no 'classes'; leave it out."},
      {"[" + judge + "]", R"(, "layers": [])",
       "A generator and a discriminator need no 'layers'; leave it out."},
  }));
  const Result<Network> network = Adversaries(discriminator, more);
  REQUIRE_FALSE(network.ok());
  CHECK(network.error().message == complaint);
  const Result<Network> turned = NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [2], "discriminator": [], "generator": []})");
  CHECK(turned.error().message == "Write 'generator' before 'discriminator', as samples go.");
}

TEST_CASE("The line of a fault is the line on which its layer begins") {
  const Result<Network> network = NetworkFromJson(R"({
    "title": "a \" brace { in a [ text", "description": "D", "input": [3, 8, 8], "classes": 10,
    "layers": [
      {"name": "a", "kind": "conv2d",
       "in": 3, "out": 4, "kernel": 3},
      {"name": "b", "kind": "conv2d", "in": 3, "out": 4, "kernel": 3}
    ]})");
  REQUIRE_FALSE(network.ok());
  CHECK(network.error().message == "Layer 'b' (line 6) does not fit: 'in' is 3, but 4 channels come in.");
}

TEST_CASE("The networks have as many parameters as their authors count") {
  const auto [name, parameters] = GENERATE(table<std::string, int64_t>({
      {"mlp", 535'818},
      {"lenet", 61'706},
      {"vgg-11", 132'863'336},  // torchvision 0.26, as the next four
      {"resnet-18", 11'689'512},
      {"resnet-50", 25'557'032},
      {"mobilenet-v2", 3'504'872},
      {"vit-b-16", 86'567'656},
      {"gpt-2", 124'439'808},      // transformers 5, gpt2
      {"bert-base", 109'483'778},  // transformers 5, bert-base-uncased with a classifier of two classes
      {"u-net", 31'037'698},       // the sum of its layers, by hand
      {"gpt-mini", 10'770'816},    // nanoGPT's character model, with biases
      {"lstm", 946'625},           // torch.nn.LSTM(128, 256, 2) counts 921,600 of them
      {"dcgan", 1'732'224},        // the sum of its layers, by hand
  }));
  CHECK(FromZoo(name).parameters() == parameters);
}

TEST_CASE("Pieces of a graph take and give all that passes their borders") {
  const Result<Network> network = NetworkFromJson(
      R"({"title": "T", "description": "D", "input": [4], "classes": 4, "layers": [
          {"name": "a", "kind": "linear", "in": 4, "out": 4}, {"name": "b", "kind": "linear", "in": 4, "out": 4},
          {"name": "c", "kind": "linear", "in": 4, "out": 4},
          {"name": "s", "kind": "add", "inputs": ["a", "c"]}, {"name": "t", "kind": "add", "inputs": ["s", "input"]}]})");
  REQUIRE(network.ok());
  using Layers = std::vector<size_t>;
  CHECK(BordersOf(*network, 0, 5).inputs == Layers{kNetworkInput});
  CHECK(BordersOf(*network, 0, 5).outputs == Layers{4});
  CHECK(BordersOf(*network, 1, 2).inputs == Layers{0});
  CHECK(BordersOf(*network, 1, 2).outputs == Layers{1});
  CHECK(BordersOf(*network, 2, 5).inputs == Layers{kNetworkInput, 0, 1});
  CHECK(BordersOf(*network, 0, 2).outputs == Layers{0, 1});
}

TEST_CASE("A folder of networks is read in the order of its file names") {
  const TemporaryFolder folder;
  folder.Write("b.json", kTiny);
  folder.Write("a.json", kTiny);
  folder.Write("README", "not a network");
  const Result<std::vector<Network>> networks = LoadNetworksFrom(folder.path());
  REQUIRE(networks.ok());
  REQUIRE(networks->size() == 2);
  CHECK((*networks)[0].name == "a");
  CHECK((*networks)[1].name == "b");
}

TEST_CASE("A broken file is named, and hinders only those who ask for it") {
  const TemporaryFolder folder;
  folder.Write("good.json", kTiny);
  folder.Write("bad.json", "{}");
  const Result<std::vector<Network>> all = LoadNetworksFrom(folder.path());
  REQUIRE_FALSE(all.ok());
  CHECK(all.error().message == "In the network file bad.json: 'title' must be a text.");
  CHECK(FindNetworkIn(folder.path(), "good").ok());
  CHECK_FALSE(FindNetworkIn(folder.path(), "bad").ok());
}

TEST_CASE("What is no regular file is no network, whatever it is called") {
  const TemporaryFolder folder;
  const std::string kind = GENERATE("json", "pt");
  const std::string under = folder.path() / ("folder." + kind);
  std::filesystem::create_directory(under);
  CHECK(FindNetwork(under).error().message ==
        "The network file " + under + " is no regular file. Choose another one.");
  const std::string pipe = folder.path() / ("pipe." + kind);  // opening it would wait for who writes into it
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(FindNetwork(pipe).error().message ==
        "The network file " + pipe + " is no regular file. Choose another one.");
}

TEST_CASE("An unknown network is answered with the known ones") {
  const Result<Network> network = FindNetworkIn(TIDEMARK_ZOO, "simple-convnet");
  REQUIRE_FALSE(network.ok());
  CHECK(
      network.error().message ==
      "There is no network 'simple-convnet'; did you mean 'simple-conv-net'? Known: bert-base, dcgan, gpt-2, "
      "gpt-mini, lenet, lstm, "
      "mlp, mobilenet-v2, resnet-18, resnet-50, simple-conv-net, smaller-conv-net, u-net, vgg-11, vit-b-16.");
  CHECK_FALSE(FindNetworkIn(TIDEMARK_ZOO, "../networks/simple-conv-net").ok());
  CHECK_FALSE(FindNetworkIn("/nowhere", "simple-conv-net").ok());
}
