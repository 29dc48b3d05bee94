// SPDX-License-Identifier: Apache-2.0
//
// Probes any bytes as a block-based filter block and as an index of filter
// partitions; and a valid block-based filter, which matches its keys at their
// blocks, and not fewer of them after damage to its lengths.
//
//   input := mode u8 | ...
//   mode     0 family u8 | data block offset u16 | key length u8 | key | block
//            1 flags u8 (as in index_fuzz.cc) | key length u8 | key
//              | index length u16 | index | partitions
//            2 keys, each in the next data block
#include <string>
#include <utility>
#include <vector>

#include "filter/block_based_placement.h"
#include "filter/leveldb_bloom.h"
#include "table/filter_loader.h"
#include "tests/fuzz/fuzz_blocks.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

class StoredFilter final : public FilterSource, public FilterSink {
 public:
  Result<PinnedBytes> Load(const FilterPosition& /*at*/,
                           const ReadContext& /*context*/) const override {
    return PinnedBytes::Borrow(bytes);
  }
  Status WriteFilter(size_t /*ordinal*/, PendingFilter filter,
                     const Slice* /*last_key*/) override {
    Result<std::string> built = filter.Build({});
    if (!built.ok()) return built.status();
    bytes = *std::move(built);
    return Status::OK();
  }

  std::string bytes;
};

FilterLocator BlockBased(uint8_t family) {
  constexpr const char* kFamilies[] = {"rocksdb.BuiltinBloomFilter",
                                       "leveldb.BuiltinBloomFilter2",
                                       "leveldb.BuiltinBloomFilter", "x"};
  return {FilterPlacement::kBlockBased, kFamilies[family % 4]};
}

void AskBlock(FuzzInput input) {
  const FilterLocator where = BlockBased(input.Byte());
  const uint64_t offset = uint64_t{input.Short()} << 4;
  const std::string key = input.Bytes(input.Byte() % 32);
  StoredFilter stored;
  stored.bytes = input.Rest();
  const BlockBasedFilterReader reader(where, &stored);
  (void)reader.BlockMayMatch(FilterKey(key), offset, ReadContext());
}

void AskPartitions(FuzzInput input) {
  const uint8_t flags = input.Byte();
  TableProperties properties;
  properties.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  properties.index_key_is_user_key = (flags & 2) != 0;
  properties.index_value_is_delta_encoded = (flags & 4) != 0;
  const std::string key = input.Bytes(input.Byte() % 32);
  std::string index = input.Bytes(input.Short());
  const std::string partitions = input.Rest();

  const std::string name = "table";
  Footer footer;
  footer.checksum = kNoChecksum;
  const FuzzRandomFile file(partitions);
  const BlockFetcher fetcher(&file, &name, partitions.size(), footer);
  const IndexFormat format(properties, &FuzzOrder());
  const FilterLoader loader(FilterPlacement::kPartitioned, ByteBuffer(index),
                            {0, 0}, &format, &fetcher, MetadataPins(),
                            ReadContext());
  const FilterLocator where{FilterPlacement::kPartitioned,
                            std::string(kBuiltinBloomFamily)};
  const auto filter = loader.LoadFor(key, ReadContext());
  if (filter.ok()) {
    (void)OpenFilter(where, filter->bytes()).MayMatch(FilterKey(key));
  } else {
    Claim(filter.status().message().find(name) != std::string::npos);
  }
  const auto handles = loader.Partitions();
  if (!handles.ok()) {
    Claim(handles.status().message().find(name) != std::string::npos);
  }
}

void BuildAndAsk(FuzzInput input) {
  StoredFilter stored;
  FilterPlan plan;
  plan.new_builder = [] { return LevelDBBloomCodec()->NewBuilder(10); };
  plan.placement = FilterPlacement::kBlockBased;
  BlockBasedFilterWriter writer(plan);
  std::vector<std::pair<uint64_t, std::string>> keys;
  uint64_t offset = 0;
  while (!input.empty() && keys.size() < 64) {
    writer.StartDataBlock(offset);
    keys.emplace_back(offset, input.Bytes(input.Byte() % 16));
    writer.Add(FilterKey(keys.back().second));
    Claim(writer.EndDataBlock(nullptr, false, stored).ok());
    offset += input.Short() % 0x4000u;
  }
  Claim(writer.Finish(stored).ok());
  if (keys.empty()) return;
  const BlockBasedFilterReader reader(BlockBased(1), &stored);
  for (const auto& [at, key] : keys) {
    Claim(reader.BlockMayMatch(FilterKey(key), at, ReadContext()));
  }
  // What says where the chunks are is the last word: beyond the block it says
  // nothing, and every key may be there.
  stored.bytes.replace(stored.bytes.size() - 5, 4, "\xff\xff\xff\xff");
  for (const auto& [at, key] : keys) {
    Claim(reader.BlockMayMatch(FilterKey(key), at, ReadContext()));
  }
}

void Fuzz(FuzzInput input) {
  switch (input.Byte() % 3) {
    case 0:
      return AskBlock(input);
    case 1:
      return AskPartitions(input);
    default:
      return BuildAndAsk(input);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
