// What a function returns when a user, a file or the system can make it fail: a value, or one sentence that
// says what is wrong and what to do about it. Bugs are not errors; they abort through TIDEMARK_CHECK
// (check.h).
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "profiler/base/check.h"

namespace tidemark {

// A complete sentence for the person at the screen.
struct Error {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  // Not explicit: `return value;` and `return Error{...};` read best.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : value_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(value_); }
  explicit operator bool() const { return ok(); }

  T& value() {
    TIDEMARK_CHECK(ok());
    return std::get<T>(value_);
  }
  const T& value() const {
    TIDEMARK_CHECK(ok());
    return std::get<T>(value_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    TIDEMARK_CHECK(!ok());
    return std::get<Error>(value_);
  }

 private:
  std::variant<T, Error> value_;
};

// A result that carries nothing but success.
struct Done {};
using Status = Result<Done>;

}  // namespace tidemark
