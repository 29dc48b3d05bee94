// SPDX-License-Identifier: Apache-2.0
//
// CPU nanoseconds to decode a compressed data block: by the codec's library, by
// StepDecoder, and by StepDecoder up to the middle in steps of 256 bytes, as a
// search that ends there needs it.
//   tamis_micro_bench --benchmark_filter=DecodeBlock
// A round decodes 1000 random ones of many blocks by each in turn, so that
// branches are not learnt by heart. Counters are medians of the rounds; those
// of ratios are medians of the ratios of a round.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "table/block_builder.h"
#include "table/internal_key.h"
#include "tests/support/library_codecs.h"
#include "tools/bench_data.h"
#include "tools/cpu_time.h"
#include "util/base/random.h"
#include "util/compression/step_decoder.h"

namespace tamis {
namespace {

constexpr int kRounds = 60;
constexpr size_t kDecodedInRound = 1000;
constexpr size_t kStep = 256;

// The values of the blocks.
enum class Values {
  kHalf100,   // 100 bytes, of which half can be compressed
  kHalf10,    // the same of 10 bytes
  kWords100,  // words out of 500
  kNoise100,
  kConstant100,
};

class ValueSource {
 public:
  explicit ValueSource(Values values) : values_(values) {
    for (int i = 0; i < 500; ++i) {
      std::string word(2 + random_.Uniform(9), ' ');
      for (char& c : word) c = static_cast<char>('a' + random_.Uniform(26));
      words_.push_back(word + ' ');
    }
  }

  std::string Next() {
    switch (values_) {
      case Values::kHalf100:
        return std::string(long_.Next());
      case Values::kHalf10:
        return std::string(short_.Next());
      case Values::kNoise100:
        return std::string(noise_.Next());
      case Values::kConstant100:
        return std::string(100, 'v');
      case Values::kWords100:
        break;
    }
    std::string value;
    while (value.size() < 100) value += words_[random_.Uniform(words_.size())];
    value.resize(100);
    return value;
  }

 private:
  const Values values_;
  Random random_{3};
  ValuePool long_{100, 1};
  ValuePool short_{10, 1};
  ValuePool noise_{100, 1, 1.0};
  std::vector<std::string> words_;
};

struct Packed {
  std::string payload;
  size_t raw_bytes;
};

std::vector<Packed> Pack(CompressionType type, Values values,
                         size_t block_bytes) {
  const size_t count = (size_t{6} << 20) / block_bytes;
  ValueSource source(values);
  Random random(5);
  std::vector<Packed> blocks;
  uint64_t number = 0;
  while (blocks.size() < count) {
    BlockBuilder builder(/*restart_interval=*/16);
    while (builder.CurrentSize() < block_bytes - 64) {
      number += 1 + random.Uniform(5);
      std::string key = std::to_string(number);
      key.insert(0, 16 - key.size(), '0');
      PutFixed64(&key, (random.Uniform(3'000'000) << 8) | kTypeValue);
      builder.Add(key, source.Next());
    }
    const Slice raw = builder.Finish();
    Packed packed{{}, raw.size()};
    if (!Compress(type, raw, &packed.payload)) return {};
    blocks.push_back(std::move(packed));
  }
  return blocks;
}

bool ByLibrary(CompressionType type, const Packed& block, char* out) {
  if (type == kSnappyCompression) {
    return snappy::RawUncompress(block.payload.data(), block.payload.size(),
                                 out);
  }
#ifdef TAMIS_HAVE_LZ4
  Decoder in(block.payload);
  const auto declared = static_cast<int>(in.Varint32());
  return LZ4_decompress_safe(in.rest().data(), out,
                             static_cast<int>(in.remaining()),
                             declared) == declared;
#else
  return false;
#endif
}

bool ByStepDecoder(CompressionType type, const Packed& block, size_t target,
                   size_t step, ByteBuffer* out) {
  StepDecoder decoder;
  if (!decoder
           .Start(type, block.payload, PayloadForm::kVersion2,
                  kMaxUncompressedBytes, out)
           .ok()) {
    return false;
  }
  for (size_t at = step; at < target; at += step) {
    if (!decoder.DecodeTo(at)) return false;
  }
  return target < block.raw_bytes ? decoder.DecodeTo(target) : decoder.Finish();
}

double Median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

void DecodeBlock(benchmark::State& state, CompressionType type, Values values,
                 size_t block_bytes) {
  const std::vector<Packed> blocks = Pack(type, values, block_bytes);
  if (blocks.empty()) {
    state.SkipWithError("the build lacks the codec");
    return;
  }
  const size_t most = 2 * block_bytes;
  const auto flat = std::make_unique<char[]>(most);
  ByteBuffer buffer;
  buffer.Room(most);
  Random random(11);
  std::vector<size_t> order(
      std::max<size_t>(kDecodedInRound * 4096 / block_bytes, 100));
  bool good = true;
  const auto time = [&](auto decode) {
    for (size_t& i : order) i = random.Uniform(blocks.size());
    const double begin = CpuTime();
    for (const size_t i : order) good &= decode(blocks[i]);
    return (CpuTime() - begin) / static_cast<double>(order.size());
  };
  enum { kLibrary, kWhole, kMiddle, kWays };
  std::vector<double> times[kWays];
  size_t round = 0;
  for (auto _ : state) {
    ++round;
    // The order changes, so that none is always the first.
    for (size_t i = 0; i < kWays; ++i) {
      const size_t way = (i + round) % kWays;
      times[way].push_back(time([&](const Packed& b) {
        if (way == kLibrary) return ByLibrary(type, b, flat.get());
        return way == kWhole
                   ? ByStepDecoder(type, b, b.raw_bytes, b.raw_bytes, &buffer)
                   : ByStepDecoder(type, b, b.raw_bytes / 2, kStep, &buffer);
      }));
    }
  }
  const auto ratio = [&](size_t way) {
    std::vector<double> ratios;
    for (size_t i = 0; i < times[way].size(); ++i) {
      ratios.push_back(times[way][i] / times[kLibrary][i]);
    }
    return Median(ratios);
  };
  if (!good) state.SkipWithError("a block was rejected");
  state.counters["library"] = Median(times[kLibrary]);
  state.counters["whole"] = Median(times[kWhole]);
  state.counters["middle"] = Median(times[kMiddle]);
  state.counters["whole/library"] = ratio(kWhole);
  state.counters["middle/library"] = ratio(kMiddle);
}

#define TAMIS_DECODE(codec, values, block_bytes)                           \
  BENCHMARK_CAPTURE(DecodeBlock, codec##_##values##_##block_bytes,         \
                    k##codec##Compression, Values::k##values, block_bytes) \
      ->Iterations(kRounds)

TAMIS_DECODE(Snappy, Half100, 4096);
TAMIS_DECODE(Snappy, Half10, 4096);
TAMIS_DECODE(Snappy, Words100, 4096);
TAMIS_DECODE(Snappy, Noise100, 4096);
TAMIS_DECODE(Snappy, Constant100, 4096);
TAMIS_DECODE(Snappy, Half100, 65536);
TAMIS_DECODE(LZ4, Half100, 4096);
TAMIS_DECODE(LZ4, Half10, 4096);
TAMIS_DECODE(LZ4, Words100, 4096);
TAMIS_DECODE(LZ4, Noise100, 4096);
TAMIS_DECODE(LZ4, Constant100, 4096);
TAMIS_DECODE(LZ4, Half100, 65536);
#undef TAMIS_DECODE

}  // namespace
}  // namespace tamis
