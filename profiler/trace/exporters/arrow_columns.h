// Columns of an Arrow table that grow by many rows at once: nanoarrow's own appending asks at each value what
// the column is made of, which took longer than the values. Not thread safe.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <nanoarrow/nanoarrow.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace tidemark::trace {

inline constexpr size_t kArrowRowsAtOnce = 4096;

// Says of the column's last `valid.size()` rows, which `length` does not count yet, which ones have a value.
// A column in which all have one says nothing.
inline ArrowErrorCode PutValidity(std::span<const int8_t> valid, int64_t missing, ArrowArray* column) {
  const auto rows = static_cast<int64_t>(valid.size());
  ArrowBitmap* bitmap = ArrowArrayValidityBitmap(column);
  if (missing > 0 || bitmap->buffer.data != nullptr) {
    const bool is_first = bitmap->buffer.data == nullptr;
    if (const auto code = ArrowBitmapReserve(bitmap, column->length + rows); code != NANOARROW_OK)
      return code;
    if (is_first) ArrowBitmapAppendUnsafe(bitmap, 1, column->length);
    ArrowBitmapAppendInt8Unsafe(bitmap, valid.data(), rows);
  }
  column->null_count += missing;
  column->length += rows;
  return NANOARROW_OK;
}

// `value_of` gives a row's Number.
template <typename Number, typename Rows, typename ValueOf>
ArrowErrorCode PutNumbers(const Rows& rows, ArrowArray* column, ValueOf value_of) {
  ArrowBuffer* values = ArrowArrayBuffer(column, 1);
  const auto bytes = static_cast<int64_t>(rows.size() * sizeof(Number));
  if (const auto code = ArrowBufferReserve(values, bytes); code != NANOARROW_OK) return code;
  auto* place = reinterpret_cast<Number*>(values->data + values->size_bytes);
  for (const auto& row : rows) *place++ = static_cast<Number>(value_of(row));
  values->size_bytes += bytes;
  column->length += static_cast<int64_t>(rows.size());
  return NANOARROW_OK;
}

// At most kArrowRowsAtOnce rows; `value_of` gives a row's Number, or nothing.
template <typename Number, typename Rows, typename ValueOf>
ArrowErrorCode PutNumbersOrNone(const Rows& rows, ArrowArray* column, ValueOf value_of) {
  std::array<int8_t, kArrowRowsAtOnce> valid;
  int64_t missing = 0;
  ArrowBuffer* values = ArrowArrayBuffer(column, 1);
  const auto bytes = static_cast<int64_t>(rows.size() * sizeof(Number));
  if (const auto code = ArrowBufferReserve(values, bytes); code != NANOARROW_OK) return code;
  auto* place = reinterpret_cast<Number*>(values->data + values->size_bytes);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::optional<Number> value = value_of(rows[i]);
    valid[i] = value.has_value() ? 1 : 0;
    if (!value) ++missing;
    place[i] = value.value_or(Number{});
  }
  values->size_bytes += bytes;
  return PutValidity(std::span(valid).first(rows.size()), missing, column);
}

// The same for texts, in UTF-8.
template <typename Rows, typename TextOf>
ArrowErrorCode PutTextsOrNone(const Rows& rows, ArrowArray* column, TextOf text_of) {
  std::array<int8_t, kArrowRowsAtOnce> valid;
  int64_t missing = 0;
  ArrowBuffer* ends = ArrowArrayBuffer(column, 1);
  ArrowBuffer* letters = ArrowArrayBuffer(column, 2);
  const auto bytes = static_cast<int64_t>(rows.size() * sizeof(int32_t));
  if (const auto code = ArrowBufferReserve(ends, bytes); code != NANOARROW_OK) return code;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::optional<std::string_view> text = text_of(rows[i]);
    valid[i] = text.has_value() ? 1 : 0;
    if (!text) ++missing;
    const auto size = static_cast<int64_t>(text ? text->size() : 0);
    if (letters->size_bytes + size > INT32_MAX) return EOVERFLOW;
    if (size > 0) {
      const auto code = ArrowBufferAppend(letters, text->data(), size);
      if (code != NANOARROW_OK) return code;
    }
    const auto end = static_cast<int32_t>(letters->size_bytes);
    ArrowBufferAppendUnsafe(ends, &end, sizeof(end));
  }
  return PutValidity(std::span(valid).first(rows.size()), missing, column);
}

}  // namespace tidemark::trace
