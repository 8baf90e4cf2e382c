#include "profiler/lessons/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/series.h"

namespace tidemark::lessons {
namespace {

using events::Category;

constexpr std::array<std::pair<std::string_view, Category>, 10> kCategories = {
    {{"parameter", Category::kParameter},
     {"gradient", Category::kGradient},
     {"optimizer", Category::kOptimizerState},
     {"activation", Category::kActivation},
     {"input", Category::kInput},
     {"temporary", Category::kTemporary},
     {"workspace", Category::kWorkspace},
     {"autocast", Category::kAutocastCache},
     {"communication", Category::kCommunication},
     {"output", Category::kOutput}}};

Figure Number(int64_t value) { return std::optional<double>(static_cast<double>(value)); }

// What a source can be asked for besides categories; errors name it.
template <typename Source>
struct Quantity {
  std::string_view name;
  int64_t (*of)(const Source& source);
};
constexpr std::array<Quantity<textbook::Estimate>, 2> kOfTextbook = {
    {{"total", [](const textbook::Estimate& estimate) { return estimate.total_bytes; }},
     {"halved", [](const textbook::Estimate& estimate) { return estimate.halved_everything_bytes; }}}};
constexpr std::array<Quantity<textbook::LayerEstimate>, 3> kOfLayer = {
    {{"activations", [](const textbook::LayerEstimate& layer) { return layer.activations_bytes; }},
     {"parameters", [](const textbook::LayerEstimate& layer) { return layer.parameters_bytes; }},
     {"recomputed", [](const textbook::LayerEstimate& layer) { return layer.recomputed_bytes; }}}};
constexpr std::string_view kFits = "fits";
constexpr std::array<Quantity<session::Prediction>, 3> kOfPhantom = {
    {{"allocated", [](const session::Prediction& answer) { return answer.allocated_peak_bytes; }},
     {"requested", [](const session::Prediction& answer) { return answer.requested_peak_bytes; }},
     {"reserved", [](const session::Prediction& answer) { return answer.reserved_peak_bytes; }}}};
constexpr std::array<Quantity<networks::Network>, 2> kOfNetwork = {
    {{"parameters", [](const networks::Network& network) { return network.parameters(); }},
     {"layers",
      [](const networks::Network& network) { return static_cast<int64_t>(network.layers.size()); }}}};
constexpr std::array<Quantity<phantom::Card>, 2> kOfCard = {
    {{"memory", [](const phantom::Card& card) { return card.memory_bytes; }},
     {"context", [](const phantom::Card& card) { return card.context_bytes; }}}};

template <typename Source, size_t kCount>
std::optional<int64_t> ValueOf(const std::array<Quantity<Source>, kCount>& quantities, std::string_view name,
                               const Source& source) {
  for (const Quantity<Source>& quantity : quantities) {
    if (quantity.name == name) return quantity.of(source);
  }
  return std::nullopt;
}

std::vector<std::string> KnownQuantities() {
  std::vector<std::string> known;
  const auto add = [&known](std::string_view source, const auto& quantities) {
    for (const auto& quantity : quantities) known.push_back(fmt::format("{}.{}", source, quantity.name));
  };
  const auto add_categories = [&known](std::string_view source) {
    for (const auto& [name, category] : kCategories) known.push_back(fmt::format("{}.{}", source, name));
  };
  add("textbook", kOfTextbook);
  add_categories("textbook");
  add("textbook.LAYER", kOfLayer);
  add("phantom", kOfPhantom);
  add_categories("phantom");
  known.push_back(fmt::format("phantom.{}", kFits));
  add("network", kOfNetwork);
  add("card", kOfCard);
  return known;
}

Error Unknown(std::string_view source, std::string_view name) {
  return Error{UnknownChoice("quantity", fmt::format("{}.{}", source, name), KnownQuantities())};
}

Figure OfLayer(const textbook::Estimate& estimate, std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return Unknown("textbook", name);
  for (const textbook::LayerEstimate& layer : estimate.layers) {
    if (layer.name != name.substr(0, dot)) continue;
    if (const auto value = ValueOf(kOfLayer, name.substr(dot + 1), layer)) return Number(*value);
  }
  return Unknown("textbook", name);
}

Figure OfTextbook(const textbook::Estimate& estimate, std::string_view name) {
  if (const auto value = ValueOf(kOfTextbook, name, estimate)) return Number(*value);
  if (const auto category = CategoryNamed(name)) return Number(textbook::BytesOf(estimate, *category));
  return OfLayer(estimate, name);
}

Figure OfPhantom(const session::Prediction& prediction, std::string_view name) {
  if (name == kFits) return Number(prediction.out_of_memory ? 0 : 1);
  // With a technique that the phantom cannot answer for there is no figure to state.
  if (!prediction.out_of_memory && !prediction.sentence.empty()) return Error{prediction.sentence};
  if (const auto value = ValueOf(kOfPhantom, name, prediction)) return Number(*value);
  if (const auto category = CategoryNamed(name)) {
    return Number(timeline::ValueOf(prediction.at_peak, timeline::SeriesOf(*category)));
  }
  return Unknown("phantom", name);
}

// "rank3"
std::optional<int> RankNamed(std::string_view source) {
  constexpr std::string_view kRank = "rank";
  if (!source.starts_with(kRank)) return std::nullopt;
  source.remove_prefix(kRank.size());
  int rank = 0;
  const auto [end, error] = std::from_chars(source.data(), source.data() + source.size(), rank);
  if (error != std::errc() || end != source.data() + source.size() || rank < 0) return std::nullopt;
  return rank;
}

template <typename Named>
const Named* FindNamed(const std::vector<Named>& all, std::string_view name) {
  for (const Named& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Figure QuantityOf(std::string_view source, std::string_view name, const Situation& situation,
                  const Sources& sources) {
  const networks::Network* network = FindNamed(*sources.networks, situation.settings.network);
  const phantom::Card* card = FindNamed(*sources.cards, situation.card);
  if (network == nullptr) {
    return Error{fmt::format("There is no network '{}'; see tidemark networks.", situation.settings.network)};
  }
  if (card == nullptr) return phantom::UnknownCard(situation.card, *sources.cards);
  const std::optional<int> rank = source == "textbook" ? 0 : RankNamed(source);
  if (rank && *rank < situation.settings.ranks) {
    if (!sources.textbook)
      return OfTextbook(textbook::EstimateMemory(*network, situation.settings, *rank), name);
    const textbook::Estimate* estimate = sources.textbook(situation.settings, *rank);
    return estimate == nullptr ? Figure(std::optional<double>()) : OfTextbook(*estimate, name);
  }
  if (source == "network" || source == "card") {
    const auto value = source == "card" ? ValueOf(kOfCard, name, *card) : ValueOf(kOfNetwork, name, *network);
    return value ? Number(*value) : Unknown(source, name);
  }
  if (source != "phantom") return Unknown(source, name);
  const std::optional<session::Prediction> prediction = sources.phantom(situation);
  if (!prediction) return std::optional<double>();
  return OfPhantom(*prediction, name);
}

bool IsNameLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

// Recursive descent, evaluating as it reads. Nothing and errors pass through every operation.
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const Situation& situation, const Sources& sources)
      : text_(text), situation_(situation), sources_(sources) {}

  Figure Read() {
    Figure value = Sum(0);
    SkipSpace();
    if (value && at_ < text_.size()) return Stray();
    return value;
  }

 private:
  static constexpr int kDeepest = 50;

  Figure Sum(int depth) {
    Figure left = Product(depth);
    for (char sign = Next("+-"); left && sign != 0; sign = Next("+-")) {
      const Figure right = Product(depth);
      left = Combine(left, right, [sign](double a, double b) { return sign == '+' ? a + b : a - b; });
    }
    return left;
  }

  Figure Product(int depth) {
    Figure left = Factor(depth);
    for (char sign = Next("*/"); left && sign != 0; sign = Next("*/")) {
      const Figure right = Factor(depth);
      left = Combine(left, right, [sign](double a, double b) { return sign == '*' ? a * b : a / b; });
    }
    return left;
  }

  template <typename Operation>
  static Figure Combine(const Figure& left, const Figure& right, const Operation& operation) {
    if (!right) return right;
    if (!*left || !*right) return std::optional<double>();
    return std::optional<double>(operation(**left, **right));
  }

  Figure Factor(int depth) {
    SkipSpace();
    if (depth > kDeepest) return Error{"The expression has too many parentheses in each other."};
    if (Next("(") != 0) {
      Figure inner = Sum(depth + 1);
      if (inner && Next(")") == 0) return Error{fmt::format("A ')' is missing in '{}'.", text_)};
      return inner;
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error == std::errc()) {
      at_ = static_cast<size_t>(end - text_.data());
      return std::optional<double>(number);
    }
    return Quantity();
  }

  Figure Quantity() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameLetter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return Stray();
    Result<Situation> situation = situation_;
    if (at_ < text_.size() && text_[at_] == '(') {
      const size_t close = text_.find(')', at_);
      if (close == std::string_view::npos) return Error{fmt::format("A ')' is missing in '{}'.", text_)};
      situation = Changed(situation_, text_.substr(at_ + 1, close - at_ - 1));
      at_ = close + 1;
    }
    if (!situation) return situation.error();
    return QuantityOf(name.substr(0, dot), name.substr(dot + 1), *situation, sources_);
  }

  char Next(std::string_view wanted) {
    SkipSpace();
    if (at_ >= text_.size() || wanted.find(text_[at_]) == std::string_view::npos) return 0;
    return text_[at_++];
  }
  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  Error Stray() const {
    return Error{fmt::format("'{}' is not understood in the expression '{}'.",
                             Quoted(text_.substr(std::min(at_, text_.size()))), Quoted(text_))};
  }

  std::string_view text_;
  const Situation& situation_;
  const Sources& sources_;
  size_t at_ = 0;
};

}  // namespace

std::optional<events::Category> CategoryNamed(std::string_view name) {
  for (const auto& [known, category] : kCategories) {
    if (known == name) return category;
  }
  return std::nullopt;
}

Figure Evaluate(std::string_view expression, const Situation& situation, const Sources& sources) {
  return ExpressionReader(expression, situation, sources).Read();
}

Status CheckClaim(const Claim& claim, const Situation& situation, const Sources& sources) {
  const Figure left = Evaluate(claim.left, situation, sources);
  if (!left) return left.error();
  const Figure right = Evaluate(claim.right, situation, sources);
  if (!right) return right.error();
  if (!*left || !*right) return Error{"The phantom has not answered."};
  const double difference = **left - **right;
  const bool holds = claim.relation == '<'   ? difference < 0
                     : claim.relation == '>' ? difference > 0
                                             : std::abs(difference) <= claim.tolerance * (1 + 1e-9);
  if (holds) return Done{};
  return Error{
      fmt::format("'{}' does not hold: {} is {:.6g}, and it is said to be {} {:.6g} (within {:.3g}).",
                  claim.stated, claim.left, **left, claim.relation, **right, claim.tolerance)};
}

}  // namespace tidemark::lessons
