#include "app/gui/window/picture_hash.h"

#include <xxhash.h>

namespace tidemark::gui {

std::optional<uint64_t> PictureHash(const ImDrawData& data) {
  if (data.Textures != nullptr) {
    for (const ImTextureData* texture : *data.Textures) {
      if (texture->Status != ImTextureStatus_OK) return std::nullopt;
    }
  }
  uint64_t hash = XXH3_64bits(&data.DisplaySize, sizeof data.DisplaySize);
  const auto add = [&hash](const auto& items) {
    hash = XXH3_64bits_withSeed(items.Data, static_cast<size_t>(items.size_in_bytes()), hash);
  };
  for (const ImDrawList* list : data.CmdLists) {
    add(list->VtxBuffer);
    add(list->IdxBuffer);
    add(list->_CallbacksDataBuf);  // opaque_fill.h
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const auto texture = static_cast<uint64_t>(command.GetTexID());
      hash = XXH3_64bits_withSeed(&command.ClipRect, sizeof command.ClipRect, hash ^ texture);
      hash = XXH3_64bits_withSeed(&command.ElemCount, sizeof command.ElemCount, hash);
    }
  }
  return hash;
}

}  // namespace tidemark::gui
