// Digits of ASCII, whatever the locale. Pure, any thread.
#pragma once

namespace tidemark {

constexpr bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace tidemark
