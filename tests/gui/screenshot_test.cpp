#include "app/gui/window/screenshot.h"

#include <imgui.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/gui/window/opaque_fill.h"
#include "app/gui/window/palette.h"
#include "app/gui/window/picture_hash.h"
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

TEST_CASE("A frame that moves, cuts off or recolours anything is another picture") {
  ImDrawList list(nullptr);
  list.VtxBuffer.push_back({{1, 2}, {0, 0}, 0xff0000ff});
  list.IdxBuffer.push_back(0);
  ImDrawCmd command;
  command.ElemCount = 1;
  command.ClipRect = {0, 0, 10, 10};
  list.CmdBuffer.push_back(command);
  ImDrawData data;
  data.DisplaySize = {100, 100};
  data.CmdLists.push_back(&list);
  const auto first = PictureHash(data);
  REQUIRE(first.has_value());
  CHECK(PictureHash(data) == first);
  list.VtxBuffer[0].col = 0xff00ff00;
  CHECK(PictureHash(data) != first);
  list.VtxBuffer[0].col = 0xff0000ff;
  list.CmdBuffer[0].ClipRect.z = 9;
  CHECK(PictureHash(data) != first);
  list.CmdBuffer[0].ClipRect.z = 10;
  CHECK(PictureHash(data) == first);
  FillOpaque(&list, {0, 0, 5, 5}, Rgb(0x102030));
  const auto filled = PictureHash(data);
  CHECK(filled != first);
  list._CallbacksDataBuf.back() = 0;  // its opacity, the last of what it is told
  CHECK(PictureHash(data) != filled);
  ImTextureData texture;
  texture.Status = ImTextureStatus_WantUpdates;
  ImVector<ImTextureData*> textures;
  textures.push_back(&texture);
  data.Textures = &textures;
  CHECK_FALSE(PictureHash(data).has_value());
}

}  // namespace tidemark::gui
