#include "profiler/phantom/device/address_pieces.h"

#include <algorithm>
#include <iterator>

#include "profiler/phantom/device/rounding.h"

namespace tidemark::phantom::device {
namespace {

constexpr size_t kPieceBytes = size_t{32} << 20;

}  // namespace

AddressPieces::AddressPieces(uintptr_t begin, uintptr_t end) {
  gaps_[RoundUp(begin, kPieceBytes)] = end / kPieceBytes * kPieceBytes;
}

std::optional<uintptr_t> AddressPieces::Place(size_t bytes) {
  const auto newest = std::ranges::find_if(with_holes_, [bytes](const auto& numbered) {
    return numbered.second->second.largest_hole_bytes >= bytes;
  });
  if (newest == with_holes_.end()) return TakePiece(bytes);
  Pieces::value_type& piece = *newest->second;
  const std::vector<Hole> holes = HolesIn(piece);
  const auto hole = std::ranges::find_if(holes, [bytes](const Hole& one) { return one.bytes >= bytes; });
  piece.second.placed[hole->begin] = bytes;
  LookForHoles(piece);
  return hole->begin;
}

std::optional<uintptr_t> AddressPieces::TakePiece(size_t bytes) {
  const size_t piece_bytes = RoundUp(bytes, kPieceBytes);
  const auto gap = std::find_if(gaps_.rbegin(), gaps_.rend(), [piece_bytes](const auto& ends) {
    return ends.second - ends.first >= piece_bytes;
  });
  if (gap == gaps_.rend()) return {};
  const uintptr_t end = gap->second;
  const uintptr_t begin = end - piece_bytes;
  gap->second = begin;
  if (gap->first == begin) gaps_.erase(begin);
  LookForHoles(*pieces_.emplace(begin, Piece{end, taken_++, {{begin, bytes}}, 0}).first);
  return begin;
}

void AddressPieces::Release(uintptr_t address) {
  const auto piece = std::prev(pieces_.upper_bound(address));
  piece->second.placed.erase(address);
  if (piece->second.placed.empty()) return GivePieceBack(piece);
  LookForHoles(*piece);
}

void AddressPieces::GivePieceBack(Pieces::iterator piece) {
  uintptr_t begin = piece->first;
  uintptr_t end = piece->second.end;
  with_holes_.erase(piece->second.number);
  pieces_.erase(piece);
  if (const auto above = gaps_.find(end); above != gaps_.end()) {
    end = above->second;
    gaps_.erase(above);
  }
  const auto next = gaps_.lower_bound(begin);
  if (next != gaps_.begin() && std::prev(next)->second == begin) begin = std::prev(next)->first;
  gaps_[begin] = end;
}

std::vector<AddressPieces::Hole> AddressPieces::HolesIn(const Pieces::value_type& piece) {
  std::vector<Hole> holes;
  uintptr_t begin = piece.first;
  for (const auto& [address, bytes] : piece.second.placed) {
    if (address > begin) holes.push_back({begin, address - begin});
    begin = address + bytes;
  }
  if (piece.second.end > begin) holes.push_back({begin, piece.second.end - begin});
  return holes;
}

void AddressPieces::LookForHoles(Pieces::value_type& piece) {
  const std::vector<Hole> holes = HolesIn(piece);
  const auto largest = std::ranges::max_element(holes, {}, &Hole::bytes);
  piece.second.largest_hole_bytes = largest == holes.end() ? 0 : largest->bytes;
  if (holes.empty()) {
    with_holes_.erase(piece.second.number);
  } else {
    with_holes_[piece.second.number] = &piece;
  }
}

}  // namespace tidemark::phantom::device
