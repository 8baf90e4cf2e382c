// What is drawn of one memory map, kept from frame to frame: where its segments lie, and what of them can be
// told apart. Each is looked for anew only where the room for it, or what is lit up, is other than in the
// frame before. UI thread only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/gui/panels/map_layout.h"
#include "app/gui/panels/map_strips.h"

namespace tidemark::gui {

// By State::blocks. Held, not only compared: another one may come to lie where it was.
using LitBlocks = std::shared_ptr<const std::vector<bool>>;
using BlockGroups = std::shared_ptr<const std::vector<uint8_t>>;

class KeptMapLayout {
 public:
  // Of the same segments each time.
  const MapLayout& Of(const std::vector<presenters::MapSegment>& segments, const ImRect& area);

 private:
  struct Room {
    ImVec4 area;
    float pixel = 0;  // its size

    bool operator==(const Room& other) const;
  };
  std::optional<Room> room_;
  MapLayout layout_;
};

class KeptMapStrips {
 public:
  struct Strips {
    std::vector<MapStrip> blocks;
    std::vector<MapSpan> free;
  };
  // Of the `number`-th segment of the same map each time; as StripsOf and FreeSpansOf.
  const Strips& Of(size_t number, const presenters::MapSegment& segment, float width, const LitBlocks& lit,
                   const BlockGroups& groups);

 private:
  struct Kept {
    float width = -1;
    LitBlocks lit;
    BlockGroups groups;
    Strips strips;
  };
  std::vector<Kept> segments_;
};

struct MapDrawing {
  KeptMapLayout layout;
  KeptMapLayout layout_beside_bar;  // where rows find no room and are scrolled to
  KeptMapStrips strips;
};

}  // namespace tidemark::gui
