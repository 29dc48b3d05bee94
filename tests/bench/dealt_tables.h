// SPDX-License-Identifier: Apache-2.0
//
// Tables in memory among which a sequence of entries is dealt out. Merging them
// restores the sequence.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "table/internal_iterator.h"
#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/support/string_files.h"
#include "util/base/check.h"
#include "util/cache/block_cache.h"

namespace tamis {

inline const KeyOrder& BytewiseOrder() {
  static const KeyOrder order(BytewiseComparator());
  return order;
}

// Of sixteen digits, in order.
inline std::string DealtKey(uint64_t i) {
  char key[24];
  std::snprintf(key, sizeof(key), "%016llu",
                static_cast<unsigned long long>(i * 3));
  return key;
}

class DealtTables {
 public:
  struct Card {
    size_t table;
    SequenceNumber sequence;
    std::string value;
  };

  // deal(i): what becomes of key i of `entries`. The cache may be nullptr.
  template <typename Deal>
  DealtTables(size_t tables, uint64_t entries, const TableBuildOptions& options,
              const std::shared_ptr<BlockCache>& cache, Deal&& deal) {
    std::vector<std::string> contents(tables);
    std::vector<std::unique_ptr<StringWritableFile>> files;
    std::vector<std::unique_ptr<TableBuilder>> builders;
    for (std::string& bytes : contents) {
      files.push_back(std::make_unique<StringWritableFile>(&bytes));
      builders.push_back(
          std::make_unique<TableBuilder>(options, files.back().get()));
    }
    std::string key;
    for (uint64_t i = 0; i < entries; ++i) {
      const Card card = deal(i);
      key.clear();
      AppendInternalKey(&key, DealtKey(i), card.sequence, kTypeValue);
      builders[card.table]->Add(key, card.value);
    }
    for (size_t i = 0; i < tables; ++i) {
      TAMIS_CHECK(builders[i]->Finish().ok());
      TableContext context(BytewiseOrder());
      context.file_name = options.file_name;
      context.block_cache = cache;
      const size_t bytes = contents[i].size();
      auto table = TableReader::Open(
          std::make_unique<StringRandomAccessFile>(std::move(contents[i])),
          bytes, context);
      TAMIS_CHECK(table.ok());
      tables_.push_back(std::move(*table));
    }
  }

  std::vector<std::unique_ptr<InternalIterator>> Iterators(
      const ReadContext& context) const {
    std::vector<std::unique_ptr<InternalIterator>> iterators;
    for (const auto& table : tables_) {
      iterators.push_back(table->NewIterator(context));
    }
    return iterators;
  }

 private:
  std::vector<std::unique_ptr<TableReader>> tables_;
};

}  // namespace tamis
