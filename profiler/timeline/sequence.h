// An append-only list that a timeline publishes: steps, phases, markers. Publishing shares its pieces instead
// of copying its elements, so it costs the same whether the list holds ten elements or a million.
//
// Thread safety: a SequenceBuilder belongs to one thread. A Sequence is immutable and for any thread; what
// the builder adds later goes to memory that no published Sequence reads.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::timeline {

template <typename T, size_t kPieceSize>
class SequenceBuilder;

// `kPieceSize` elements are shared at a time; with fewer, building costs more and letting go less.
template <typename T, size_t kPieceSize = 1024>
class Sequence {
 public:
  using value_type = T;
  class Iterator;
  using const_iterator = Iterator;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t position) const {
    if (last_ && position + 1 == size_) return *last_;
    const size_t stored = skipped_ + position;
    return (*pieces_)[stored / kPieceSize]->items[stored % kPieceSize];
  }
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size_ - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, static_cast<std::ptrdiff_t>(size_)}; }

 private:
  friend class SequenceBuilder<T, kPieceSize>;
  struct Piece {
    std::array<T, kPieceSize> items;
  };
  using Pieces = std::vector<std::shared_ptr<Piece>>;

  std::shared_ptr<const Pieces> pieces_;
  size_t skipped_ = 0;  // of the first piece
  size_t size_ = 0;     // with last_
  std::optional<T> last_;
};

template <typename T, size_t kPieceSize>
class Sequence<T, kPieceSize>::Iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = const T&;

  Iterator() = default;
  Iterator(const Sequence* sequence, difference_type position) : sequence_(sequence), position_(position) {}

  reference operator*() const { return (*sequence_)[static_cast<size_t>(position_)]; }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type distance) const { return *(*this + distance); }
  Iterator& operator+=(difference_type distance) {
    position_ += distance;
    return *this;
  }
  Iterator& operator-=(difference_type distance) { return *this += -distance; }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this -= 1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend Iterator operator+(Iterator iterator, difference_type distance) { return iterator += distance; }
  friend Iterator operator+(difference_type distance, Iterator iterator) { return iterator += distance; }
  friend Iterator operator-(Iterator iterator, difference_type distance) { return iterator -= distance; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.position_ - b.position_; }
  bool operator==(const Iterator& other) const { return position_ == other.position_; }
  std::strong_ordering operator<=>(const Iterator& other) const { return position_ <=> other.position_; }

 private:
  const Sequence* sequence_ = nullptr;
  difference_type position_ = 0;
};

template <typename T, size_t kPieceSize = 1024>
class SequenceBuilder {
 public:
  size_t size() const { return size_; }
  void push_back(T item) {
    const size_t position = skipped_ + size_;
    if (position == pieces_->size() * kPieceSize) {
      auto pieces = std::make_shared<Pieces>(*pieces_);  // published lists keep theirs
      pieces->push_back(std::make_shared<Piece>());
      pieces_ = std::move(pieces);
    }
    (*pieces_)[position / kPieceSize]->items[position % kPieceSize] = std::move(item);
    ++size_;
  }

  // Lets go of elements from the front, as long as `is_over` says so. O(elements let go + pieces + a piece).
  template <typename Predicate>
  void LetGoWhile(Predicate is_over) {
    size_t position = skipped_;
    const size_t end = skipped_ + size_;
    while (position < end && is_over((*pieces_)[position / kPieceSize]->items[position % kPieceSize]))
      ++position;
    if (position == skipped_) return;
    size_ = end - position;
    skipped_ = position % kPieceSize;
    auto pieces = std::make_shared<Pieces>(
        pieces_->begin() + static_cast<std::ptrdiff_t>(position / kPieceSize), pieces_->end());
    if (skipped_ > 0) {  // what is over must not live on in a piece that is not
      auto first = std::make_shared<Piece>();
      const std::array<T, kPieceSize>& items = pieces->front()->items;
      std::copy(items.begin() + static_cast<std::ptrdiff_t>(skipped_), items.end(),
                first->items.begin() + static_cast<std::ptrdiff_t>(skipped_));
      pieces->front() = std::move(first);
    }
    pieces_ = std::move(pieces);
  }

  Sequence<T, kPieceSize> Publish() const {
    Sequence<T, kPieceSize> sequence;
    sequence.pieces_ = pieces_;
    sequence.skipped_ = skipped_;
    sequence.size_ = size_;
    return sequence;
  }
  // The same, and after it an element that may still change.
  Sequence<T, kPieceSize> Publish(T last) const {
    Sequence<T, kPieceSize> sequence = Publish();
    ++sequence.size_;
    sequence.last_ = std::move(last);
    return sequence;
  }

 private:
  using Piece = typename Sequence<T, kPieceSize>::Piece;
  using Pieces = typename Sequence<T, kPieceSize>::Pieces;

  std::shared_ptr<const Pieces> pieces_ = std::make_shared<Pieces>();
  size_t skipped_ = 0;
  size_t size_ = 0;
};

}  // namespace tidemark::timeline
