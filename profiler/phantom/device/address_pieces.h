// Where the driver of native Linux places memory: it takes addresses from the system in pieces, each as large
// as what it was asked for, rounded up to 32 MiB, at the top of the highest gap that is large enough (mmap's
// own order), and gives a piece back with the last memory in it. What is asked for next lies in the newest
// piece that has room, at its lowest place there.
//
// Found in histories of 24,000 segments (address_order.h): of 2,148 segments that fitted more than one known
// piece 2,114 took the newest; of 6,852 new pieces for which no larger gap was known 6,234 lay directly below
// the one before. What else a process maps between the pieces, pinned memory for one, nobody knows here.
//
// Not thread safe. Place is O(pieces + what lies in one), Release O(log pieces + what lies in one).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tidemark::phantom::device {

class AddressPieces {
 public:
  // Between these addresses, where nothing lies yet.
  AddressPieces(uintptr_t begin, uintptr_t end);

  // None where no gap is large enough.
  std::optional<uintptr_t> Place(size_t bytes);
  void Release(uintptr_t address);  // what Place gave

 private:
  struct Hole {
    uintptr_t begin = 0;
    size_t bytes = 0;
  };
  struct Piece {
    uintptr_t end = 0;
    uint64_t number = 0;
    std::map<uintptr_t, size_t> placed;
    size_t largest_hole_bytes = 0;
  };
  using Pieces = std::map<uintptr_t, Piece>;  // by where they begin

  static std::vector<Hole> HolesIn(const Pieces::value_type& piece);  // the lowest first
  std::optional<uintptr_t> TakePiece(size_t bytes);
  void GivePieceBack(Pieces::iterator piece);
  void LookForHoles(Pieces::value_type& piece);

  std::map<uintptr_t, uintptr_t> gaps_;  // between the pieces: from where to where
  Pieces pieces_;
  std::map<uint64_t, Pieces::value_type*, std::greater<>> with_holes_;  // by number, the newest first
  uint64_t taken_ = 0;
};

}  // namespace tidemark::phantom::device
