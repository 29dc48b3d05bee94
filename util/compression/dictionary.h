// SPDX-License-Identifier: Apache-2.0
//
// Dictionaries for compressing: bytes that blocks of one table have in common,
// which a codec may refer to as if they preceded each block.
//
//   samples ──TrainDictionary──▶ bytes ──▶ CompressionDictionary ──▶ payloads
//
// UncompressionDictionary (compression.h) is for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/compression_type.h"
#include "tamis/slice.h"

#include "util/compression/compression.h"

namespace tamis {

// Returns the most bytes of a dictionary that the codec can use; 0 if it has no
// dictionaries, or the build lacks it.
size_t DictionaryBytesMax(CompressionType type);

// Pieces of the data, one after the other.
struct DictionarySamples {
  std::string bytes;
  std::vector<size_t> sizes;  // of the pieces

  void Add(const Slice& piece) {
    bytes.append(piece.data(), piece.size());
    sizes.push_back(piece.size());
  }
};

// Returns a dictionary of at most `bytes_max` bytes, made by zstd's trainer.
// Returns an empty one if zstd finds that the samples are too few or have
// nothing in common, or if the build lacks zstd.
std::string TrainDictionary(const DictionarySamples& samples, size_t bytes_max);
// Returns a dictionary of at most `bytes_max` bytes: the end of the samples,
// after zstd's statistics of all of them, for this level. Returns an empty one
// as TrainDictionary does.
std::string FinalizeDictionary(const DictionarySamples& samples,
                               size_t bytes_max, int level);

// A codec's form of a dictionary, and its scratch memory. One thread at a time.
class DictionaryCompressor {
 public:
  virtual ~DictionaryCompressor() = default;
  // As tamis::Compress. REQUIRES: raw is of at most kMaxCompressibleBytes.
  virtual bool Compress(const Slice& raw, PayloadForm form,
                        std::string* out) = 0;
};

// A dictionary for the blocks of one table. One thread at a time.
class CompressionDictionary {
 public:
  // Returns nullptr if there is nothing to refer to: the codec has no
  // dictionaries, `raw` is empty, or the codec refuses it. `level` is as in
  // Compress.
  static std::unique_ptr<CompressionDictionary> New(CompressionType type,
                                                    std::string raw, int level);

  Slice raw() const { return raw_; }
  // As tamis::Compress.
  bool Compress(const Slice& block, PayloadForm form, std::string* out);

 private:
  explicit CompressionDictionary(std::string raw) : raw_(std::move(raw)) {}

  const std::string raw_;
  std::unique_ptr<DictionaryCompressor> codec_;  // refers to raw_
};

}  // namespace tamis
