// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/plans.h"

#include <array>
#include <set>

namespace tamis::differential {

namespace {

// As numbers of CompressionType and as SetOptions names them.
struct Codec {
  int number;
  const char* name;
};
constexpr std::array kCodecs = {Codec{0, "kNoCompression"},
                                Codec{1, "kSnappyCompression"},
                                Codec{4, "kLZ4Compression"}, Codec{7, "kZSTD"}};

const Codec& DrawCodec(Dice* dice) {
  return kCodecs[dice->Uniform(kCodecs.size())];
}

void DrawCompression(Dice* dice, FamilyPlan* plan) {
  plan->codec = DrawCodec(dice).number;
  plan->bottommost_codec =
      dice->OneIn(3) ? DrawCodec(dice).number : kNoSuchCodec;
  plan->codec_by_level = dice->OneIn(5);
  plan->dictionary = dice->OneIn(4) ? dice->Pick<uint32_t>({200, 4000}) : 0;
}

}  // namespace

std::vector<std::string> DrawKeys(const PlanLimits& limits, uint64_t count,
                                  Dice* dice) {
  const uint64_t letters = dice->Between(2, 5);
  std::set<std::string> keys;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t length = limits.short_keys
                                ? dice->Uniform(6)
                                : dice->Between(4, dice->OneIn(4) ? 24 : 8);
    std::string key;
    for (uint64_t n = 0; n < length; ++n) {
      key.push_back(dice->OneIn(40)
                        ? dice->Pick({'\0', '\xff', '\x7f', '\x80'})
                        : static_cast<char>('a' + dice->Uniform(letters)));
    }
    keys.insert(key);
  }
  return {keys.begin(), keys.end()};
}

void DrawTables(const PlanLimits& limits, Dice* dice, FamilyPlan* plan) {
  plan->prefix = 0;
  if (dice->OneIn(2)) plan->prefix = dice->Pick({1, 2, 3});
  if (plan->prefix > 0 && (limits.short_keys || dice->OneIn(3))) {
    plan->prefix = -plan->prefix;
  }
  plan->write_buffer_size = dice->Pick<size_t>({64 << 10, 64 << 10, 1 << 20});
  plan->memtable_bloom = dice->OneIn(4) ? 0.1 : 0;
  plan->universal = dice->OneIn(4);
  plan->dynamic_levels = dice->OneIn(3);
  plan->level0_trigger = dice->Pick({2, 2, 4});
  plan->level_base = dice->Pick<uint64_t>({8 << 10, 64 << 10, 1 << 20});
  plan->file_size = dice->Pick<uint64_t>({2 << 10, 16 << 10, 256 << 10});
  plan->compacts_by_itself = !limits.manual && !dice->OneIn(4);
  if (limits.manual) plan->write_buffer_size = 1 << 20;
  plan->block_size = dice->Pick<uint64_t>({128, 512, 4096});
  plan->restart_interval = dice->Pick({1, 2, 16});
  plan->filter = dice->Pick({0, 1, 1, 2});
  plan->whole_keys = !dice->OneIn(3);
  plan->index = dice->Pick({0, 0, 1, 1, 2});
  plan->partitioned_filter = plan->index == 1 && dice->OneIn(2);
  plan->hash_in_blocks = dice->OneIn(3);
  plan->format_version = static_cast<uint32_t>(dice->Between(2, 5));
  plan->checksum = dice->Pick({1, 1, 2, 3, 4});
  DrawCompression(dice, plan);
}

OpenPlan DrawOpen(const PlanLimits& limits, Dice* dice) {
  OpenPlan plan;
  plan.atomic_flush = limits.atomic_flush;
  plan.compressed_log = dice->OneIn(3);
  plan.subcompactions = dice->OneIn(3) ? 4 : 1;
  // RocksDB 7.8.3 refuses FIFO compaction with another number.
  plan.max_open_files = limits.fifo ? -1 : dice->Pick({-1, -1, 20});
  plan.max_total_wal_size =
      limits.manual ? 0 : dice->Pick<uint64_t>({0, 0, 20000});
  return plan;
}

std::pair<std::string, std::string> DrawSetting(const PlanLimits& limits,
                                                Dice* dice) {
  switch (dice->Uniform(limits.manual ? 4 : 8)) {
    case 0:
      return dice->OneIn(2) ? std::pair{"no_such_option", "1"}
                            : std::pair{"num_levels", "4"};
    case 1:
      return {"compression", DrawCodec(dice).name};
    case 2:
      return {"bottommost_compression", DrawCodec(dice).name};
    case 3:
      return {"target_file_size_base", dice->Pick({"2048", "16384"})};
    case 4:
      return {"max_bytes_for_level_base", dice->Pick({"8192", "65536"})};
    case 5:
      return {"write_buffer_size", dice->Pick({"65536", "1048576"})};
    case 6:
      return {"level0_file_num_compaction_trigger", dice->Pick({"2", "4"})};
    default:
      return {"disable_auto_compactions", dice->Pick({"true", "false"})};
  }
}

}  // namespace tamis::differential
