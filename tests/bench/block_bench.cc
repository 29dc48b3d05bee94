// SPDX-License-Identifier: Apache-2.0
//
// Nanoseconds of one search in a resident data block of 4 KiB: by its tags, as
// BlockIterator does it, and by layouts that were tried and rejected.
//   tamis_micro_bench --benchmark_filter=Block
// The first argument is the number of blocks: 256 fit into the processor's
// cache, while with 40,000 every search reads memory. The second is the size of
// values: 100 bytes give 36 entries a block, 10 bytes 167.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <benchmark/benchmark.h>

#include "table/block.h"
#include "table/block_builder.h"
#include "table/block_tags.h"
#include "table/block_tags_match.h"
#include "util/base/random.h"
#include "util/cache/block_buffer.h"
#include "util/coding/hash.h"

namespace tamis {
namespace {

constexpr size_t kKeyBytes = 16;
constexpr size_t kInternalKeyBytes = kKeyBytes + kInternalKeyTailBytes;
constexpr uint64_t kTail = (uint64_t{7} << 8) | kTypeValue;
constexpr int kRestartInterval = 16;

const std::string kFile = "bench.sst";

const KeyOrder& Order() {
  static const KeyOrder order(BytewiseComparator());
  return order;
}

void WriteKey(uint64_t number, char* key) {
  for (size_t i = kKeyBytes; i > 0; number /= 10) {
    key[--i] = static_cast<char>('0' + number % 10);
  }
  EncodeFixed64(key + kKeyBytes, kTail);
}

struct Query {
  uint32_t block;
  char key[kInternalKeyBytes];
  uint64_t hash;

  Slice internal_key() const { return {key, kInternalKeyBytes}; }
  Slice user_key() const { return {key, kKeyBytes}; }
};

// The layout that was tried first: separate arrays and eight-byte heads, for
// keys that end within them.
struct Arrays {
  uint16_t count;
  uint8_t prefix_bytes;
  char prefix[kKeyBytes];
  uint8_t tags[192];
  uint16_t offsets[192];
  uint64_t heads[192];
};

struct Block {
  BlockBuffer* node;
  BlockParts parts;
  BlockTags tags() const { return BlockTags(node->side(), node->bytes()); }
};

// Blocks that fill some memory, and a million random questions to them.
class Blocks {
 public:
  static const Blocks& Of(benchmark::State& state) {
    static std::map<std::pair<int64_t, int64_t>, std::unique_ptr<Blocks>> made;
    auto& blocks = made[{state.range(0), state.range(1)}];
    if (blocks == nullptr) {
      made.clear();  // one at a time in memory
      auto& fresh = made[{state.range(0), state.range(1)}];
      fresh.reset(new Blocks(static_cast<size_t>(state.range(0)),
                             static_cast<size_t>(state.range(1))));
      return *fresh;
    }
    return *blocks;
  }
  ~Blocks() {
    for (const Block& block : blocks_) block.node->Unref();
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Query>& queries(bool hits) const {
    return hits ? hits_ : misses_;
  }
  const Arrays& arrays(uint32_t block) const { return *arrays_[block]; }

 private:
  Blocks(size_t count, size_t value_bytes);
  std::unique_ptr<Arrays> MakeArrays(const Block& block) const;

  std::vector<Block> blocks_;
  std::vector<std::unique_ptr<Arrays>> arrays_;
  std::vector<Query> hits_;
  std::vector<Query> misses_;
};

Blocks::Blocks(size_t count, size_t value_bytes) {
  Random random(301);
  const std::string value(value_bytes, 'v');
  std::vector<std::vector<uint64_t>> numbers(count);
  uint64_t number = 0;
  char key[kInternalKeyBytes];
  for (auto& of_block : numbers) {
    BlockBuilder builder(kRestartInterval);
    while (builder.CurrentSize() < 4000) {
      number += 2 + 2 * random.Uniform(3);  // odd ones are absent
      of_block.push_back(number);
      WriteKey(number, key);
      builder.Add(Slice(key, sizeof(key)), value);
    }
    std::string bytes = builder.Finish().ToString();
    BlockParts parts;
    if (!BlockParts::Parse(bytes, {&kFile, 0}, &parts).ok()) std::abort();
    const BlockTagsBuilder tags(parts);
    Block block{BlockBuffer::New(ByteBuffer(bytes), tags.bytes()), parts};
    block.parts.data = block.node->bytes().data();
    tags.Write(block.node->mutable_side());
    blocks_.push_back(block);
    arrays_.push_back(MakeArrays(block));
  }
  for (size_t i = 0; i < (1 << 20); ++i) {
    const auto block = static_cast<uint32_t>(random.Uniform(count));
    const auto& of_block = numbers[block];
    // The last entry is not searched, because an absent key would follow it.
    const uint64_t asked = of_block[random.Uniform(of_block.size() - 1)];
    for (const bool hit : {true, false}) {
      Query query{.block = block, .key = {}, .hash = 0};
      WriteKey(asked + (hit ? 0 : 1), query.key);
      query.hash = Hash64(query.user_key());
      (hit ? hits_ : misses_).push_back(query);
    }
  }
}

std::unique_ptr<Arrays> Blocks::MakeArrays(const Block& block) const {
  auto arrays = std::make_unique<Arrays>();
  KeyBuffer buffer;
  const BlockTags tags = block.tags();
  arrays->count = static_cast<uint16_t>(tags.count());
  arrays->prefix_bytes = kKeyBytes - sizeof(uint64_t);
  for (uint32_t i = 0; i < tags.count(); ++i) {
    const BlockTags::Position at = tags.At(i, &buffer);
    std::memcpy(arrays->prefix, at.key.data(), kKeyBytes);
    arrays->tags[i] = BlockTagOf(Hash64(ExtractUserKey(at.key)));
    arrays->offsets[i] = static_cast<uint16_t>(at.offset);
    arrays->heads[i] =
        __builtin_bswap64(DecodeFixed64(at.key.data() + sizeof(uint64_t)));
  }
  return arrays;
}

// Searches one key after another. Each search starts after the one before ends.
template <typename Ask>
void AskAll(benchmark::State& state, bool hits, const Ask& ask) {
  const Blocks& blocks = Blocks::Of(state);
  const std::vector<Query>& queries = blocks.queries(hits);
  size_t i = 0;
  size_t found = 0;
  size_t depends = 0;  // on the answer before: nothing overlaps
  for (auto _ : state) {
    const size_t answer = ask(blocks, queries[i + depends]);
    found += answer;
    depends = answer & 2;  // never set
    if (++i + 2 > queries.size()) i = 0;
  }
  const auto asked = static_cast<size_t>(state.iterations());
  if (found != (hits ? asked : 0)) state.SkipWithError("a wrong answer");
}

size_t FirstByte(const Slice& value) { return value[0] == 'v' ? 1 : 0; }

size_t FindByTags(const Blocks& blocks, const Query& query) {
  BlockTags::Found found;
  if (!blocks.blocks()[query.block].tags().Find(query.user_key(), query.hash,
                                                kTail, &found)) {
    return 0;
  }
  return FirstByte(found.value);
}

bool SeekByIterator(const Blocks& blocks, const Query& query,
                    BlockIterator* it) {
  it->Open(PinnedBytes::Borrow(blocks.blocks()[query.block].node->bytes()),
           {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
            &Order()},
           {&kFile, 0});
  it->Seek(query.internal_key());
  return it->Valid();
}

size_t FindByIterator(const Blocks& blocks, const Query& query) {
  BlockIterator it;
  if (!SeekByIterator(blocks, query, &it) ||
      ExtractUserKey(it.key()) != query.user_key()) {
    return 0;
  }
  return FirstByte(it.value());
}

// Uses tags alone, and verifies a match by decoding from its restart.
size_t FindByTagsAndDecode(const Blocks& blocks, const Query& query) {
  const Arrays& arrays = blocks.arrays(query.block);
  const BlockParts& parts = blocks.blocks()[query.block].parts;
  for (uint32_t base = 0; base < arrays.count; base += kTagsAtOnce) {
    uint32_t matches =
        MatchTags(reinterpret_cast<const char*>(arrays.tags) + base,
                  BlockTagOf(query.hash));
    for (; matches != 0; matches &= matches - 1) {
      const auto i = base + static_cast<uint32_t>(std::countr_zero(matches));
      if (i >= arrays.count) return 0;
      const char* const limit = parts.data + parts.entries_end;
      const char* p = parts.data + parts.RestartOffset(i / kRestartInterval);
      KeyBuffer buffer;
      Slice key;
      Slice value;
      for (uint32_t j = 0; j <= i % kRestartInterval; ++j) {
        uint32_t shared = 0;
        uint32_t rest = 0;
        uint32_t value_bytes = 0;
        p = GetVarint32Ptr(p, limit, &shared);
        p = GetVarint32Ptr(p, limit, &rest);
        p = GetVarint32Ptr(p, limit, &value_bytes);
        key = shared == 0 ? Slice(p, rest)
                          : buffer.Assemble(key, shared, Slice(p, rest));
        value = Slice(p + rest, value_bytes);
        p = value.end();
      }
      if (ExtractUserKey(key) == query.user_key()) return FirstByte(value);
    }
  }
  return 0;
}

size_t AnswerAt(const Blocks& blocks, const Query& query, size_t i) {
  const char* const p = blocks.blocks()[query.block].parts.data +
                        blocks.arrays(query.block).offsets[i];
  const auto rest = static_cast<uint8_t>(p[1]);
  return FirstByte(Slice(p + 3 + rest, 1));
}

uint64_t HeadOf(const Query& query) {
  return __builtin_bswap64(DecodeFixed64(query.key + sizeof(uint64_t)));
}

// Offsets and heads in arrays of their own.
size_t FindByArrays(const Blocks& blocks, const Query& query) {
  const Arrays& arrays = blocks.arrays(query.block);
  const uint64_t head = HeadOf(query);
  for (uint32_t base = 0; base < arrays.count; base += kTagsAtOnce) {
    uint32_t matches =
        MatchTags(reinterpret_cast<const char*>(arrays.tags) + base,
                  BlockTagOf(query.hash));
    for (; matches != 0; matches &= matches - 1) {
      const auto i = base + static_cast<uint32_t>(std::countr_zero(matches));
      if (i < arrays.count && arrays.heads[i] == head &&
          std::memcmp(arrays.prefix, query.key, arrays.prefix_bytes) == 0) {
        return AnswerAt(blocks, query, i);
      }
    }
  }
  return 0;
}

// The same by the order of the heads, without tags.
size_t FindByHeads(const Blocks& blocks, const Query& query) {
  const Arrays& arrays = blocks.arrays(query.block);
  if (std::memcmp(arrays.prefix, query.key, arrays.prefix_bytes) != 0) return 0;
  const uint64_t head = HeadOf(query);
  const uint64_t* first = arrays.heads;
  for (size_t n = arrays.count; n > 1;) {
    const size_t half = n / 2;
    first += first[half - 1] < head ? half : 0;
    n -= half;
  }
  const auto i = static_cast<size_t>(first - arrays.heads);
  return *first == head ? AnswerAt(blocks, query, i) : 0;
}

#if defined(__x86_64__)
// Tags by AVX2, called as it would be where it is chosen at run time.
__attribute__((target("avx2"))) uint32_t Match32(const char* tags,
                                                 uint8_t tag) {
  __m256i lanes;
  std::memcpy(&lanes, tags, sizeof(lanes));
  return static_cast<uint32_t>(_mm256_movemask_epi8(
      _mm256_cmpeq_epi8(lanes, _mm256_set1_epi8(static_cast<char>(tag)))));
}
__attribute__((target("avx2"))) uint32_t MatchAllAvx2(const char* tags,
                                                      uint32_t count,
                                                      uint8_t tag) {
  uint32_t any = 0;
  for (uint32_t base = 0; base < count; base += 32) {
    any += Match32(tags + base, tag);
  }
  return any;
}
#endif

uint32_t MatchAll(const char* tags, uint32_t count, uint8_t tag) {
  uint32_t any = 0;
  for (uint32_t base = 0; base < count; base += kTagsAtOnce) {
    any += MatchTags(tags + base, tag);
  }
  return any;
}

uint32_t MatchAllPortable(const char* tags, uint32_t count, uint8_t tag) {
  uint32_t any = 0;
  for (uint32_t base = 0; base < count; base += kTagsAtOnce) {
    any += MatchTagsPortable(tags + base, tag);
  }
  return any;
}

using MatchFunction = uint32_t (*)(const char*, uint32_t, uint8_t);

// The tags alone, 36 or 167 of them.
void BlockMatchTags(benchmark::State& state, MatchFunction match) {
  char tags[192];
  Random random(5);
  for (char& tag : tags) tag = static_cast<char>(random.Next());
  const auto count = static_cast<uint32_t>(state.range(0));
  uint8_t tag = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tags);
    tag = static_cast<uint8_t>(match(tags, count, tag));
  }
  benchmark::DoNotOptimize(tag);
}

size_t SeekByTags(const Blocks& blocks, const Query& query) {
  const BlockTags tags = blocks.blocks()[query.block].tags();
  KeyBuffer buffer;
  const uint32_t i = tags.LowerBound(query.internal_key());
  if (i == tags.count()) return 0;
  const BlockTags::Position at = tags.At(i, &buffer);
  return at.key.size() == kInternalKeyBytes ? FirstByte(at.value) : 0;
}

size_t SeekByRestarts(const Blocks& blocks, const Query& query) {
  BlockIterator it;
  return SeekByIterator(blocks, query, &it) ? FirstByte(it.value()) : 0;
}

using AskFunction = size_t (*)(const Blocks&, const Query&);

void BlockFind(benchmark::State& state, AskFunction ask, bool hits) {
  AskAll(state, hits, ask);
}
void BlockSeek(benchmark::State& state, AskFunction ask) {
  AskAll(state, true, ask);
}

void BlockTagsBuild(benchmark::State& state) {
  const Blocks& blocks = Blocks::Of(state);
  const auto side = std::make_unique<char[]>(4096);
  size_t i = 0;
  size_t side_bytes = 0;
  size_t block_bytes = 0;
  for (auto _ : state) {
    const Block& block = blocks.blocks()[i];
    const BlockTagsBuilder builder(block.parts);
    builder.Write(side.get());
    benchmark::DoNotOptimize(side.get());
    side_bytes = builder.bytes();
    block_bytes = block.node->bytes().size();
    if (++i == blocks.blocks().size()) i = 0;
  }
  state.counters["side"] = static_cast<double>(side_bytes);
  state.counters["percent"] =
      100 * static_cast<double>(side_bytes) / static_cast<double>(block_bytes);
}

void Shapes(benchmark::internal::Benchmark* bench) {
  for (const int64_t value_bytes : {100, 10}) {
    for (const int64_t blocks : {256, 40000})
      bench->Args({blocks, value_bytes});
  }
}

BENCHMARK_CAPTURE(BlockFind, iterator_hit, FindByIterator, true)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, iterator_miss, FindByIterator, false)
    ->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, tags_decode_hit, FindByTagsAndDecode, true)
    ->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, tags_decode_miss, FindByTagsAndDecode, false)
    ->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, heads_hit, FindByHeads, true)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, heads_miss, FindByHeads, false)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, arrays_hit, FindByArrays, true)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, arrays_miss, FindByArrays, false)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, tags_hit, FindByTags, true)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockFind, tags_miss, FindByTags, false)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockSeek, iterator, SeekByRestarts)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockSeek, tags, SeekByTags)->Apply(Shapes);
BENCHMARK(BlockTagsBuild)->Apply(Shapes);
BENCHMARK_CAPTURE(BlockMatchTags, portable, MatchAllPortable)
    ->Arg(36)
    ->Arg(167);
BENCHMARK_CAPTURE(BlockMatchTags, sse2, MatchAll)->Arg(36)->Arg(167);
#if defined(__x86_64__)
BENCHMARK_CAPTURE(BlockMatchTags, avx2, MatchAllAvx2)->Arg(36)->Arg(167);
#endif

}  // namespace
}  // namespace tamis
