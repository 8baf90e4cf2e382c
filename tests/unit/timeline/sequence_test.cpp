#include "profiler/timeline/sequence.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/support/catch.h"

namespace tidemark::timeline {

TEST_CASE("A sequence is what it was when it was published") {
  SequenceBuilder<std::string> builder;
  std::vector<Sequence<std::string>> published;
  for (int n = 0; n < 3'000; ++n) {
    if (n % 500 == 0) published.push_back(builder.Publish());
    builder.push_back(std::to_string(n));
  }
  for (size_t k = 0; k < published.size(); ++k) {
    REQUIRE(published[k].size() == k * 500);
    if (k > 0) CHECK(published[k].back() == std::to_string(k * 500 - 1));
  }
}

TEST_CASE("The last element may still change") {
  SequenceBuilder<int> builder;
  builder.push_back(1);
  const Sequence<int> open = builder.Publish(7);
  CHECK(open.size() == 2);
  CHECK(open[0] == 1);
  CHECK(open.back() == 7);
  CHECK(builder.Publish(8).back() == 8);
  CHECK(builder.Publish().size() == 1);
  CHECK(Sequence<int>().empty());
}

TEST_CASE("A sequence works with the standard algorithms") {
  SequenceBuilder<int> builder;
  for (int n = 0; n < 5'000; ++n) builder.push_back(n * 2);
  const Sequence<int> sequence = builder.Publish(10'000);
  CHECK(*std::lower_bound(sequence.begin(), sequence.end(), 4'001) == 4'002);
  CHECK(std::accumulate(sequence.begin(), sequence.end(), 0) == 5'000 * 5'001);
  CHECK(sequence.end() - sequence.begin() == 5'001);
  CHECK(sequence.begin()[3] == 6);
  CHECK(std::is_sorted(sequence.begin(), sequence.end()));
}

TEST_CASE("Letting go gives memory back and leaves what was published") {
  SequenceBuilder<std::shared_ptr<int>, 4> builder;
  std::vector<std::weak_ptr<int>> watched;
  for (int n = 0; n < 10; ++n) {
    auto item = std::make_shared<int>(n);
    watched.push_back(item);
    builder.push_back(std::move(item));
  }
  auto published = builder.Publish();
  builder.LetGoWhile([](const auto& item) { return *item < 6; });
  CHECK(builder.size() == 4);
  CHECK(*builder.Publish()[0] == 6);
  CHECK(*published[0] == 0);
  published = {};
  for (int n = 0; n < 10; ++n) CHECK(watched[static_cast<size_t>(n)].expired() == (n < 6));
  builder.push_back(std::make_shared<int>(10));
  CHECK(*builder.Publish().back() == 10);
  builder.LetGoWhile([](const auto&) { return true; });
  CHECK(builder.Publish().empty());
  builder.push_back(std::make_shared<int>(11));
  CHECK(*builder.Publish()[0] == 11);
}

}  // namespace tidemark::timeline
