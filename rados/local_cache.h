// SPDX-License-Identifier: Apache-2.0
//
// A LocalCache keeps pages of tables in a directory of this machine, up to a
// limit, also from one process to the next:
//
//   <directory>/LOCK          of the process that uses it
//   <directory>/<key>.pages   a LocalFile
//
// The file that has not been read or written for the longest time is removed
// first. Errors of the directory cost time and no more: what is not here is
// read from the cluster.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tamis/rados.h"
#include "tamis/status.h"

#include "rados/local_file.h"

namespace tamis::rados {

class LocalCache : public std::enable_shared_from_this<LocalCache> {
 public:
  class File;

  // Creates the directory, whose parent must exist. Returns IOError if that
  // fails, or if another process uses it.
  static Status Open(const std::string& directory, uint64_t bytes,
                     std::shared_ptr<LocalCache>* cache);
  ~LocalCache();
  LocalCache(const LocalCache&) = delete;
  LocalCache& operator=(const LocalCache&) = delete;

  // Returns the pages of a file; nullptr if the directory fails. A key has
  // letters, digits, '.', '_' and '-'.
  std::shared_ptr<File> OpenFile(const std::string& key);
  // Removes what it has of a file that is gone from the cluster.
  void Remove(const std::string& key);

  RadosCacheStats stats() const;

 private:
  // What is known of a file of the directory.
  struct Known {
    uint64_t bytes = 0;     // where it is not open
    uint64_t last_use = 0;  // in nanoseconds; where it is not open
    File* open = nullptr;   // until its destructor calls Closed
    std::weak_ptr<File> reference;
  };

  LocalCache(std::string directory, uint64_t limit, int lock);
  std::string PathOf(const std::string& key) const;
  void FindFiles();
  void Closed(const std::string& key, File* file);
  void Charge(uint64_t bytes);
  void Evict();
  // With mutex_ held.
  void RemoveLocked(const std::string& key, Known* known);

  const std::string directory_;
  const uint64_t limit_;
  const int lock_;     // a descriptor
  const int process_;  // a forked child has its parent's mutex as it was

  std::mutex mutex_;
  std::map<std::string, Known> files_;  // by key

  const uint64_t open_max_;  // files that keep their descriptors
  std::atomic<uint64_t> open_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
  std::atomic<uint64_t> damaged_{0};
  std::atomic<uint64_t> evicted_{0};
  std::atomic<uint64_t> errors_{0};
};

// An open file of the cache, with the counts of the cache.
class LocalCache::File {
 public:
  File(std::shared_ptr<LocalCache> cache, std::string key);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Returns whether all of the bytes are here. See LocalFile.
  bool Read(uint64_t size, uint64_t offset, size_t n, char* to);
  void Write(uint64_t size, uint64_t offset, size_t n, const char* from);

  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  uint64_t last_use() const {
    return last_use_.load(std::memory_order_relaxed);
  }

 private:
  friend class LocalCache;
  void Touch();
  uint64_t Clear();  // returns what it had

  const std::shared_ptr<LocalCache> cache_;
  const std::string key_;
  const bool stays_open_;
  LocalFile pages_;
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> last_use_{0};
  std::atomic<bool> writes_{true};  // until a write fails
};

}  // namespace tamis::rados
