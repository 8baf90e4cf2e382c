#include "app/gui/widgets/text.h"

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A long name keeps how it begins and how it ends") {
  CHECK(WithoutMiddle("short", 10) == "short");
  const std::string name = "void cutlass::Kernel<" + std::string(3000, 'x') + ">(Params)";
  const std::string cut = WithoutMiddle(name, 200);
  CHECK(cut.size() == 200);
  CHECK(cut.starts_with("void cutlass::Kernel<xxx"));
  CHECK(cut.ends_with("xxx>(Params)"));
  CHECK(cut.find(" … ") != std::string::npos);
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

}  // namespace tidemark::gui
