// SPDX-License-Identifier: Apache-2.0
//
// Factories only keep the options of a format: TableBuilder and TableReader do
// the work.
#include "tamis/table.h"

namespace tamis {

namespace {

class BlockBasedTableFactory final : public TableFactory {
 public:
  explicit BlockBasedTableFactory(const BlockBasedTableOptions& options)
      : options_(options) {}
  const char* Name() const override { return "BlockBasedTable"; }
  const BlockBasedTableOptions& block_based_options() const override {
    return options_;
  }

 private:
  BlockBasedTableOptions* MutableOptions() override { return &options_; }

  BlockBasedTableOptions options_;
};

// A filter is built for each plain table when it is opened, by the policy of
// block-based ones.
BlockBasedTableOptions WithFilter(BlockBasedTableOptions options,
                                  const PlainTableOptions& plain) {
  options.filter_policy.reset(
      plain.bloom_bits_per_key <= 0
          ? nullptr
          : NewBloomFilterPolicy(plain.bloom_bits_per_key));
  return options;
}

class PlainTableFactory final : public TableFactory {
 public:
  PlainTableFactory(const PlainTableOptions& options,
                    const BlockBasedTableOptions& block_based)
      : options_(options), block_based_(WithFilter(block_based, options)) {}
  const char* Name() const override { return "PlainTable"; }
  const BlockBasedTableOptions& block_based_options() const override {
    return block_based_;
  }
  const PlainTableOptions* plain_options() const override { return &options_; }

 private:
  PlainTableOptions* MutablePlainOptions() override { return &options_; }

  PlainTableOptions options_;
  const BlockBasedTableOptions block_based_;
};

class CuckooTableFactory final : public TableFactory {
 public:
  CuckooTableFactory(const CuckooTableOptions& options,
                     const BlockBasedTableOptions& block_based)
      : options_(options), block_based_(block_based) {}
  const char* Name() const override { return "CuckooTable"; }
  const BlockBasedTableOptions& block_based_options() const override {
    return block_based_;
  }
  const CuckooTableOptions* cuckoo_options() const override {
    return &options_;
  }

 private:
  CuckooTableOptions* MutableCuckooOptions() override { return &options_; }

  CuckooTableOptions options_;
  const BlockBasedTableOptions block_based_;
};

}  // namespace

TableFactory* NewBlockBasedTableFactory(const BlockBasedTableOptions& options) {
  return new BlockBasedTableFactory(options);
}

TableFactory* NewPlainTableFactory(const PlainTableOptions& options) {
  return new PlainTableFactory(options, BlockBasedTableOptions());
}

TableFactory* NewCuckooTableFactory(const CuckooTableOptions& options) {
  return new CuckooTableFactory(options, BlockBasedTableOptions());
}

// NOLINTBEGIN(performance-unnecessary-value-param): RocksDB's signature
TableFactory* NewAdaptiveTableFactory(
    std::shared_ptr<TableFactory> to_write,
    std::shared_ptr<TableFactory> block_based,
    std::shared_ptr<TableFactory> /*plain*/,
    std::shared_ptr<TableFactory> /*cuckoo*/) {
  const BlockBasedTableOptions blocks =
      block_based != nullptr ? block_based->block_based_options()
      : to_write != nullptr  ? to_write->block_based_options()
                             : BlockBasedTableOptions();
  if (to_write != nullptr && to_write->plain_options() != nullptr) {
    return new PlainTableFactory(*to_write->plain_options(), blocks);
  }
  if (to_write != nullptr && to_write->cuckoo_options() != nullptr) {
    return new CuckooTableFactory(*to_write->cuckoo_options(), blocks);
  }
  return new BlockBasedTableFactory(
      to_write != nullptr ? to_write->block_based_options() : blocks);
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace tamis
