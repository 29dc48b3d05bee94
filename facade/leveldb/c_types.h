// SPDX-License-Identifier: Apache-2.0
//
// The objects of LevelDB's C API, and how its functions return text.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include <leveldb/c.h>
#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/write_batch.h>

struct leveldb_t {
  leveldb::DB* rep;
};
struct leveldb_iterator_t {
  leveldb::Iterator* rep;
};
struct leveldb_writebatch_t {
  leveldb::WriteBatch rep;
};
struct leveldb_snapshot_t {
  const leveldb::Snapshot* rep;
};
struct leveldb_readoptions_t {
  leveldb::ReadOptions rep;
};
struct leveldb_writeoptions_t {
  leveldb::WriteOptions rep;
};
struct leveldb_options_t {
  leveldb::Options rep;
};
struct leveldb_cache_t {
  leveldb::Cache* rep;
};
struct leveldb_logger_t {
  leveldb::Logger* rep;
};
struct leveldb_env_t {
  leveldb::Env* rep;
};

struct leveldb_comparator_t {
  std::unique_ptr<const leveldb::Comparator> rep;
};
struct leveldb_filterpolicy_t {
  std::unique_ptr<const leveldb::FilterPolicy> rep;
};

// Returns a copy from malloc, with a 0 at the end.
inline char* CopyOf(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}
