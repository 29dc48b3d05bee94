// SPDX-License-Identifier: Apache-2.0
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

}  // namespace

TableFactory* NewBlockBasedTableFactory(const BlockBasedTableOptions& options) {
  return new BlockBasedTableFactory(options);
}

}  // namespace tamis
