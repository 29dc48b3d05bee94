// SPDX-License-Identifier: Apache-2.0
#include "rados/local_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tamis::rados {

namespace {

constexpr char kSuffix[] = ".pages";
constexpr uint64_t kNanosOfSecond = 1'000'000'000;

Status ErrorOf(const std::string& path, const char* what) {
  return Status::IOError(path, std::string(what) + ": " + std::strerror(errno));
}

// The others are left to the database and the rest of the process.
constexpr uint64_t kShareOfDescriptors = 4;

uint64_t DescriptorLimit() {
  rlimit limit = {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

// Coarse: a tick of the system's clock, read without a system call.
uint64_t NowNanos() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNanosOfSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

uint64_t NanosOf(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * kNanosOfSecond +
         static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

Status LocalCache::Open(const std::string& directory, uint64_t bytes,
                        std::shared_ptr<LocalCache>* cache) {
  cache->reset();
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return ErrorOf(directory, "create the directory of the cache");
  }
  const std::string lock_path = directory + "/LOCK";
  const int lock =
      ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return ErrorOf(lock_path, "open");
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const Status locked =
        errno == EWOULDBLOCK
            ? Status::IOError(lock_path,
                              "another process, or another file system of this "
                              "one, uses the directory of this cache: each "
                              "needs a directory of its own")
            : ErrorOf(lock_path, "lock");
    ::close(lock);
    return locked;
  }
  cache->reset(new LocalCache(directory, bytes, lock));
  (*cache)->FindFiles();
  (*cache)->Evict();
  return Status::OK();
}

LocalCache::LocalCache(std::string directory, uint64_t limit, int lock)
    : directory_(std::move(directory)),
      limit_(limit),
      lock_(lock),
      process_(::getpid()),
      open_max_(DescriptorLimit() / kShareOfDescriptors) {}

LocalCache::~LocalCache() { ::close(lock_); }

std::string LocalCache::PathOf(const std::string& key) const {
  return directory_ + "/" + key + kSuffix;
}

void LocalCache::FindFiles() {
  DIR* const directory = ::opendir(directory_.c_str());
  if (directory == nullptr) return;
  const std::lock_guard lock(mutex_);
  while (const dirent* const found = ::readdir(directory)) {
    std::string key = found->d_name;
    struct stat facts = {};
    if (!key.ends_with(kSuffix) ||
        ::stat((directory_ + "/" + key).c_str(), &facts) != 0) {
      continue;
    }
    key.resize(key.size() - std::strlen(kSuffix));
    Known& known = files_[key];
    known.bytes = static_cast<uint64_t>(facts.st_blocks) * 512;
    known.last_use = NanosOf(facts.st_mtim);
    bytes_ += known.bytes;
  }
  ::closedir(directory);
}

std::shared_ptr<LocalCache::File> LocalCache::OpenFile(const std::string& key) {
  std::shared_ptr<File> file;  // its destructor takes the mutex
  const std::lock_guard lock(mutex_);
  Known& known = files_[key];
  if (std::shared_ptr<File> open = known.reference.lock()) return open;
  file = std::make_shared<File>(shared_from_this(), key);
  if (!file->pages_.exists()) {
    ++errors_;
    RemoveLocked(key, &known);
    return nullptr;
  }
  // One that is being closed hands over what it has.
  file->bytes_ =
      known.open != nullptr ? known.open->bytes_.exchange(0) : known.bytes;
  known.open = file.get();
  known.reference = file;
  return file;
}

void LocalCache::Closed(const std::string& key, File* file) {
  if (process_ != ::getpid()) return;
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(key);
  if (found == files_.end() || found->second.open != file) return;
  Known& known = found->second;
  known.open = nullptr;
  known.bytes = file->bytes();
  known.last_use = file->last_use();
  const std::string path = PathOf(key);
  if (known.bytes == 0) {
    ::unlink(path.c_str());
    files_.erase(found);
    return;
  }
  // For the next process.
  timespec times[2];
  times[0].tv_sec = static_cast<time_t>(known.last_use / kNanosOfSecond);
  times[0].tv_nsec = static_cast<long>(known.last_use % kNanosOfSecond);
  times[1] = times[0];
  const int set = ::utimensat(AT_FDCWD, path.c_str(), times, 0);
  static_cast<void>(set);
}

void LocalCache::Remove(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(key);
  if (found != files_.end()) RemoveLocked(key, &found->second);
}

// A file that is open stays, without pages.
void LocalCache::RemoveLocked(const std::string& key, Known* known) {
  if (known->open != nullptr) {
    bytes_ -= known->open->Clear();
    return;
  }
  bytes_ -= known->bytes;
  ::unlink(PathOf(key).c_str());
  files_.erase(key);
}

void LocalCache::Charge(uint64_t bytes) {
  if (bytes_.fetch_add(bytes) + bytes > limit_) Evict();
}

void LocalCache::Evict() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<uint64_t, std::string>> by_use;
  for (const auto& [key, known] : files_) {
    const File* const open = known.open;
    if ((open != nullptr ? open->bytes() : known.bytes) == 0) continue;
    by_use.emplace_back(open != nullptr ? open->last_use() : known.last_use,
                        key);
  }
  std::sort(by_use.begin(), by_use.end());
  for (const auto& [use, key] : by_use) {
    if (bytes_ <= limit_) return;
    ++evicted_;
    RemoveLocked(key, &files_.at(key));
  }
}

RadosCacheStats LocalCache::stats() const {
  RadosCacheStats stats;
  stats.bytes = bytes_;
  stats.hits = hits_;
  stats.misses = misses_;
  stats.damaged_pages = damaged_;
  stats.evicted_files = evicted_;
  stats.errors = errors_;
  return stats;
}

LocalCache::File::File(std::shared_ptr<LocalCache> cache, std::string key)
    : cache_(std::move(cache)),
      key_(std::move(key)),
      stays_open_(cache_->open_ < cache_->open_max_),
      pages_(cache_->PathOf(key_), key_, stays_open_) {
  if (stays_open_) ++cache_->open_;
  Touch();
}

LocalCache::File::~File() {
  if (stays_open_) --cache_->open_;
  cache_->Closed(key_, this);
}

void LocalCache::File::Touch() {
  const uint64_t now = NowNanos();
  if (last_use() != now) last_use_.store(now, std::memory_order_relaxed);
}

uint64_t LocalCache::File::Clear() {
  pages_.Clear();
  return bytes_.exchange(0);
}

bool LocalCache::File::Read(uint64_t size, uint64_t offset, size_t n,
                            char* to) {
  Touch();
  const LocalFile::Outcome outcome = pages_.Read(size, offset, n, to);
  ++(outcome.done ? cache_->hits_ : cache_->misses_);
  if (outcome.damaged != 0) cache_->damaged_ += outcome.damaged;
  if (outcome.failed) ++cache_->errors_;
  return outcome.done;
}

void LocalCache::File::Write(uint64_t size, uint64_t offset, size_t n,
                             const char* from) {
  if (!writes_.load(std::memory_order_relaxed)) return;
  Touch();
  const LocalFile::Outcome outcome = pages_.Write(size, offset, n, from);
  if (outcome.failed) {
    ++cache_->errors_;
    writes_.store(false, std::memory_order_relaxed);
  }
  bytes_ += outcome.slots * kSlotBytes;
  cache_->Charge(outcome.slots * kSlotBytes);
}

}  // namespace tamis::rados
