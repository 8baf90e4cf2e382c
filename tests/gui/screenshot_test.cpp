#include "app/gui/window/screenshot.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A picture is written as PNG, and a folder that is not there is said") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tidemark-screenshot-test.png";
  const std::vector<uint8_t> pixels(7 * 5 * 4, 200);
  REQUIRE(WritePngBottomUp(file, 7, 5, pixels).ok());
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(bytes.size() > 24);
  CHECK(bytes.substr(1, 3) == "PNG");
  CHECK(bytes[19] == 7);  // width and height, big endian, in the header chunk
  CHECK(bytes[23] == 5);
  std::filesystem::remove(file);
  const Status nowhere = WritePngBottomUp("/no/such/folder/picture.png", 7, 5, pixels);
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().message.find("/no/such/folder/picture.png") != std::string::npos);
}

}  // namespace tidemark::gui
