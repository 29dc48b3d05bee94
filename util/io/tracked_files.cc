// SPDX-License-Identifier: Apache-2.0
#include "util/io/tracked_files.h"

#include <algorithm>

namespace tamis {

namespace {

// Sizes and limits are the user's: a sum must not wrap around.
uint64_t Sum(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool IsIn(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) &&
         path.rfind('/') == directory.size();
}

}  // namespace

void TrackedFiles::Add(const std::string& path, uint64_t bytes) {
  MutexLock lock(&mutex_);
  uint64_t& counted = bytes_[path];
  total_ = total_ - counted + bytes;
  counted = bytes;
}

void TrackedFiles::Remove(const std::string& path) noexcept {
  MutexLock lock(&mutex_);
  const auto file = bytes_.find(path);
  if (file == bytes_.end()) return;
  total_ -= file->second;
  bytes_.erase(file);
}

void TrackedFiles::Rename(const std::string& from, const std::string& to) {
  if (from == to) return;
  MutexLock lock(&mutex_);
  const auto old = bytes_.find(from);
  const uint64_t bytes = old == bytes_.end() ? 0 : old->second;
  if (old != bytes_.end()) {
    total_ -= bytes_[to];  // may throw
    bytes_[to] = bytes;
    bytes_.erase(from);
    return;
  }
  const auto replaced = bytes_.find(to);
  if (replaced == bytes_.end()) return;
  total_ -= replaced->second;
  bytes_.erase(replaced);
}

void TrackedFiles::Shorten(const std::string& path, uint64_t bytes) noexcept {
  MutexLock lock(&mutex_);
  const auto file = bytes_.find(path);
  if (file == bytes_.end() || file->second <= bytes) return;
  total_ -= file->second - bytes;
  file->second = bytes;
}

void TrackedFiles::ReplaceDirectory(const std::string& directory,
                                    const std::vector<File>& files) {
  std::unordered_map<std::string, uint64_t> now;
  for (const File& file : files) now[file.path] = file.bytes;
  MutexLock lock(&mutex_);
  bytes_.reserve(bytes_.size() + now.size());  // merge does not throw
  std::erase_if(bytes_, [&](const auto& file) {
    return IsIn(file.first, directory) && !now.contains(file.first);
  });
  for (auto& [path, bytes] : bytes_) {
    const auto file = now.find(path);
    if (file != now.end()) bytes = file->second;
  }
  bytes_.merge(now);
  total_ = 0;
  for (const auto& [path, bytes] : bytes_) total_ += bytes;
}

uint64_t TrackedFiles::total() const {
  MutexLock lock(&mutex_);
  return total_;
}

std::unordered_map<std::string, uint64_t> TrackedFiles::all() const {
  MutexLock lock(&mutex_);
  return bytes_;
}

void TrackedFiles::SetLimit(uint64_t bytes) {
  MutexLock lock(&mutex_);
  limit_ = bytes;
}

void TrackedFiles::SetCompactionBuffer(uint64_t bytes) {
  MutexLock lock(&mutex_);
  buffer_ = bytes;
}

bool TrackedFiles::Reaches(uint64_t bytes) const {
  return limit_ != 0 && Sum(total_, bytes) >= limit_;
}

bool TrackedFiles::LimitIsReached(bool including_compactions) const {
  MutexLock lock(&mutex_);
  return Reaches(including_compactions ? reserved_ : 0);
}

bool TrackedFiles::Reserve(uint64_t bytes) {
  MutexLock lock(&mutex_);
  if (Reaches(Sum(Sum(reserved_, bytes), buffer_))) return false;
  reserved_ += bytes;
  return true;
}

void TrackedFiles::Release(uint64_t bytes) noexcept {
  MutexLock lock(&mutex_);
  TAMIS_CHECK(bytes <= reserved_);
  reserved_ -= bytes;
}

bool TrackedFiles::HasRoomFor(uint64_t bytes) const {
  MutexLock lock(&mutex_);
  return !Reaches(bytes == 0 ? 0 : Sum(bytes, buffer_));
}

}  // namespace tamis
