// SPDX-License-Identifier: Apache-2.0
//
// A StrongNumber is an integer of one kind. Two kinds do not convert into each
// other or into plain integers, so that the compiler rejects a file number
// where a column family's id is meant.
//
//   using FileNumber = StrongNumber<struct FileNumberTag, uint64_t>;
//   FileNumber first{7};
//   FileNumber second = first.Next();
//   PutVarint64(&out, second.value());  // as bytes and in messages: plain
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace tamis {

template <typename Tag, typename Int>
class StrongNumber {
 public:
  constexpr StrongNumber() = default;  // 0
  constexpr explicit StrongNumber(Int value) : value_(value) {}

  constexpr Int value() const { return value_; }
  // Returns value() + 1, or 0 after the largest unsigned Int.
  constexpr StrongNumber Next() const {
    return StrongNumber(static_cast<Int>(value_ + 1));
  }
  constexpr StrongNumber operator++(int) {
    const StrongNumber old = *this;
    *this = Next();
    return old;
  }
  std::string ToString() const { return std::to_string(value_); }

  friend constexpr bool operator==(StrongNumber a, StrongNumber b) {
    return a.value_ == b.value_;
  }
  friend constexpr auto operator<=>(StrongNumber a, StrongNumber b) {
    return a.value_ <=> b.value_;
  }
  template <typename Char>
  friend std::basic_ostream<Char>& operator<<(std::basic_ostream<Char>& out,
                                              StrongNumber number) {
    return out << number.value();
  }

 private:
  Int value_ = 0;
};

}  // namespace tamis

template <typename Tag, typename Int>
struct std::hash<tamis::StrongNumber<Tag, Int>> {
  size_t operator()(tamis::StrongNumber<Tag, Int> number) const noexcept {
    return std::hash<Int>()(number.value());
  }
};
