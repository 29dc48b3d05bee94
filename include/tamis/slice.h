// SPDX-License-Identifier: Apache-2.0
//
// A Slice is a pointer and a length; it does not own its bytes. It converts to
// and from std::string_view. The bytes may have any value, including NUL.
//
// Lifetime: the bytes must outlive the Slice.
// Threads: a value type; any thread may copy and read it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "tamis/export.h"

namespace tamis {

struct SliceParts;

class TAMIS_EXPORT Slice {
 public:
  // No bytes, or those at data.
  constexpr Slice() = default;
  constexpr Slice(const char* data, size_t size) : data_(data), size_(size) {}
  // Implicit, since a Slice is the parameter type of the whole API.
  // NOLINTBEGIN(google-explicit-constructor): see above
  Slice(const std::string& s) : data_(s.data()), size_(s.size()) {}
  constexpr Slice(std::string_view s) : data_(s.data()), size_(s.size()) {}
  Slice(const char* s) : data_(s), size_(std::strlen(s)) {}
  // NOLINTEND(google-explicit-constructor)
  // Concatenates the parts into *buffer, which must outlive the Slice.
  Slice(const SliceParts& parts, std::string* buffer);

  // The address of the first byte, the number of bytes, and whether there are
  // none.
  constexpr const char* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

  // Iterators over the bytes.
  constexpr const char* begin() const { return data_; }
  constexpr const char* end() const { return data_ + size_; }

  // REQUIRES: i < size()
  constexpr char operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }

  // Makes the Slice empty.
  void clear() { *this = Slice(); }

  // REQUIRES: n <= size()
  void remove_prefix(size_t n) {
    assert(n <= size_);
    data_ += n;
    size_ -= n;
  }
  void remove_suffix(size_t n) {
    assert(n <= size_);
    size_ -= n;
  }

  // Returns upper-case hex digits if `hex`, otherwise the bytes themselves.
  std::string ToString(bool hex = false) const;
  // Sets *result to the bytes that the hex digits mean, of either case. Returns
  // false, and changes nothing, for an odd number or another character.
  bool DecodeHex(std::string* result) const;

  // Return the same bytes as a std::string_view.
  constexpr std::string_view ToStringView() const { return {data_, size_}; }
  // NOLINTNEXTLINE(google-explicit-constructor): implicit, as in LevelDB
  constexpr operator std::string_view() const { return {data_, size_}; }

  // Compares in unsigned bytewise order. Returns < 0, 0 or > 0.
  int compare(const Slice& other) const {
    const size_t common = size_ < other.size_ ? size_ : other.size_;
    const int order = common == 0 ? 0 : std::memcmp(data_, other.data_, common);
    if (order != 0) return order;
    return size_ < other.size_ ? -1 : (size_ > other.size_ ? 1 : 0);
  }

  // Return whether the bytes begin, or end, with the others.
  bool starts_with(const Slice& prefix) const {
    return size_ >= prefix.size_ &&
           (prefix.size_ == 0 ||
            std::memcmp(data_, prefix.data_, prefix.size_) == 0);
  }
  bool ends_with(const Slice& suffix) const {
    return size_ >= suffix.size_ &&
           (suffix.size_ == 0 || std::memcmp(data_ + size_ - suffix.size_,
                                             suffix.data_, suffix.size_) == 0);
  }

  // Returns the length of the prefix that both have.
  size_t difference_offset(const Slice& other) const;

  // Public, as RocksDB's are, for bindings that read them.
  const char* data_ = "";
  size_t size_ = 0;
};

// A key or value given in parts, whose concatenation it is. Owns neither the
// array nor the bytes.
struct TAMIS_EXPORT SliceParts {
  SliceParts() = default;
  // Sets both members.
  SliceParts(const Slice* slices, int count)
      : parts(slices), num_parts(count) {}

  // The array, and the number of its elements.
  const Slice* parts = nullptr;
  int num_parts = 0;
};

// Compare bytes as Slice::compare does.
inline bool operator==(const Slice& a, const Slice& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}
inline bool operator!=(const Slice& a, const Slice& b) { return !(a == b); }
inline bool operator<(const Slice& a, const Slice& b) {
  return a.compare(b) < 0;
}
// Writes the bytes.
inline std::ostream& operator<<(std::ostream& out, const Slice& s) {
  return out << s.ToStringView();
}

// A PinnableSlice is a value returned by DB::Get. It either references bytes
// pinned in a resident block, or owns a copy. Reset() or destruction releases
// the pin.
//
// Lifetime: data() is valid until Reset(), the next Get into *this, or
// destruction. Must be released before the DB is closed.
// Threads: one thread at a time.
class TAMIS_EXPORT PinnableSlice : public Slice {
 public:
  PinnableSlice() : self_(&own_) {}
  // Copies values into *buffer, which must outlive *this.
  explicit PinnableSlice(std::string* buffer) : self_(buffer) {}
  ~PinnableSlice() { Unpin(); }

  // Take the value over; the source is empty afterwards.
  PinnableSlice(PinnableSlice&& other) noexcept;
  PinnableSlice& operator=(PinnableSlice&& other) noexcept;
  PinnableSlice(const PinnableSlice&) = delete;
  PinnableSlice& operator=(const PinnableSlice&) = delete;

  // Makes *this reference bytes that stay valid until *this calls
  // release(owner).
  void PinSlice(const Slice& bytes, void (*release)(void* owner), void* owner);
  // Copies the bytes into the buffer.
  void PinSelf(const Slice& bytes);
  // Makes the contents of *GetSelf() the value.
  void PinSelf();

  // Releases the bytes, and makes the value empty.
  void Reset();
  // Returns the buffer that holds the value if it is not pinned.
  std::string* GetSelf() { return self_; }
  // Returns whether the bytes belong to a resident block.
  bool IsPinned() const { return release_ != nullptr; }

 private:
  void Unpin() {
    if (release_ != nullptr) std::exchange(release_, nullptr)(owner_);
  }

  std::string own_;
  std::string* self_;
  void (*release_)(void*) = nullptr;
  void* owner_ = nullptr;
};

}  // namespace tamis
