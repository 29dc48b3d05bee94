// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/options.h"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

#include <leveldb/env.h>

#include "tamis/logger.h"
#include "tamis/table.h"

#include "facade/leveldb/cache.h"
#include "facade/leveldb/env_file_system.h"
#include "facade/leveldb/filter_policy.h"
#include "facade/leveldb/snapshot.h"
#include "facade/leveldb/table_names.h"
#include "facade/leveldb/user_cache.h"

namespace leveldb {

Options::Options() : comparator(BytewiseComparator()), env(Env::Default()) {}

}  // namespace leveldb

namespace tamis::facade {

namespace {

class LoggerForTamis final : public Logger {
 public:
  explicit LoggerForTamis(leveldb::Logger* logger) : logger_(*logger) {}
  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    logger_.Logv(format, ap);
  }

 private:
  leveldb::Logger& logger_;
};

// LevelDB's limits of what its options may be.
constexpr int kMinOpenFiles = 74;
constexpr int kMaxOpenFiles = 50'000;
constexpr size_t kMinWriteBuffer = 64 << 10;
constexpr size_t kMaxWriteBuffer = 1 << 30;
constexpr size_t kMinFileSize = 1 << 20;
constexpr size_t kMaxFileSize = 1 << 30;
constexpr size_t kMinBlockSize = 1 << 10;
constexpr size_t kMaxBlockSize = 4 << 20;

bool MayUpgrade() {
  const char* const value = std::getenv("TAMIS_LEVELDB_UPGRADE");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

AdaptedOptions::AdaptedOptions(const leveldb::Options& options)
    : comparator_(options.comparator) {
  options_.comparator = comparator_.get();
  options_.create_if_missing = options.create_if_missing;
  options_.error_if_exists = options.error_if_exists;
  options_.paranoid_checks = options.paranoid_checks;
  options_.avoid_flush_during_recovery = true;
  options_.file_system = ReadThrough(
      options.block_cache, WithLevelDBNames(FileSystemOf(options.env)));
  if (options.info_log != nullptr) {
    options_.info_log = std::make_shared<LoggerForTamis>(options.info_log);
  }
  options_.write_buffer_size =
      std::clamp(options.write_buffer_size, kMinWriteBuffer, kMaxWriteBuffer);
  options_.max_open_files =
      std::clamp(options.max_open_files, kMinOpenFiles, kMaxOpenFiles);
  options_.target_file_size_base =
      std::clamp(options.max_file_size, kMinFileSize, kMaxFileSize);
  options_.max_bytes_for_level_base =
      std::max<uint64_t>(10 << 20, 4 * options_.target_file_size_base);
  options_.compression = options.compression == leveldb::kNoCompression
                             ? kNoCompression
                             : kSnappyCompression;
  options_.upgrade_leveldb = MayUpgrade();
  BlockBasedTableOptions table;
  table.block_cache = BlockCacheOf(options.block_cache);
  table.no_block_cache = table.block_cache == nullptr;
  table.block_size =
      std::clamp(options.block_size, kMinBlockSize, kMaxBlockSize);
  table.block_restart_interval = options.block_restart_interval;
  table.filter_policy = FilterPolicyForTamis(options.filter_policy);
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
}

ReadOptions ToTamis(const leveldb::ReadOptions& options) {
  ReadOptions read;
  read.verify_checksums = options.verify_checksums;
  read.fill_cache = options.fill_cache;
  if (options.snapshot != nullptr) {
    read.snapshot =
        static_cast<const AdaptedSnapshot*>(options.snapshot)->get();
  }
  return read;
}

WriteOptions ToTamis(const leveldb::WriteOptions& options) {
  WriteOptions write;
  write.sync = options.sync;
  return write;
}

}  // namespace tamis::facade
