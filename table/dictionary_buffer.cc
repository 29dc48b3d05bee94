// SPDX-License-Identifier: Apache-2.0
#include "table/dictionary_buffer.h"

#include <algorithm>
#include <utility>

#include "util/base/check.h"

namespace tamis {

namespace {

// A table that ends before the buffer is full spends at most this share of its
// uncompressed bytes on the dictionary, which is not compressed.
constexpr uint64_t kDictionaryShare = 8;

// Of max_dict_buffer_bytes = 0. Some tables have no target size.
constexpr uint64_t kBufferBytesByDefault = 64 << 20;

uint64_t BytesMax(const TableBuildOptions& options) {
  const auto value_or = [](uint64_t value, uint64_t otherwise) {
    return value == 0 ? otherwise : value;
  };
  return std::min(value_or(options.target_file_size, UINT64_MAX),
                  value_or(options.compression_opts.max_dict_buffer_bytes,
                           kBufferBytesByDefault));
}

}  // namespace

bool DictionaryBuffer::IsNeeded(const TableBuildOptions& options) {
  return options.compression_opts.max_dict_bytes > 0 &&
         DictionaryBytesMax(options.compression) > 0;
}

DictionaryBuffer::DictionaryBuffer(const TableBuildOptions& options)
    : options_(options),
      bytes_max_(BytesMax(options)),
      reservation_(options.block_cache, 0,
                   CacheRole::kCompressionDictionaryBuildingBuffer) {}

void DictionaryBuffer::Add(const RawDataBlock& block) {
  blocks_.push_back({ByteBuffer::WithRoom(block.bytes.size()),
                     ByteBuffer::WithRoom(block.last_key.size()),
                     ByteBuffer::WithRoom(block.next_key.size())});
  RawDataBlock& copy = blocks_.back();
  copy.bytes.Append(block.bytes);
  copy.last_key.Append(block.last_key);
  copy.next_key.Append(block.next_key);
  bytes_ += block.bytes.size();
  Charge();
}

bool DictionaryBuffer::Take(RawDataBlock* block) {
  if (blocks_.empty()) return false;
  *block = std::move(blocks_.front());
  blocks_.pop_front();
  bytes_ -= block->bytes.size();
  Charge();
  return true;
}

// In steps, since changes of the charge cost locks of the cache.
void DictionaryBuffer::Charge() {
  constexpr uint64_t kStep = 64 << 10;
  const uint64_t charge = (bytes_ + kStep - 1) / kStep * kStep;
  if (charge != reservation_.bytes()) reservation_.Resize(charge);
}

DictionarySamples DictionaryBuffer::Sample(uint64_t bytes_max) const {
  DictionarySamples samples;
  const uint64_t wanted = std::min(bytes_max, bytes_);
  const uint64_t mean = std::max(uint64_t{1}, bytes_ / blocks_.size());
  const uint64_t pieces = std::min<uint64_t>(blocks_.size(), wanted / mean + 1);
  for (uint64_t i = 0; i < pieces && samples.bytes.size() < wanted; ++i) {
    const Slice block = blocks_[i * blocks_.size() / pieces].bytes;
    samples.Add(
        {block.data(),
         std::min<size_t>(block.size(), wanted - samples.bytes.size())});
  }
  return samples;
}

std::unique_ptr<CompressionDictionary> DictionaryBuffer::MakeDictionary()
    const {
  if (blocks_.empty()) return nullptr;
  const CompressionOptions& how = options_.compression_opts;
  uint64_t size = std::min<uint64_t>(how.max_dict_bytes,
                                     DictionaryBytesMax(options_.compression));
  if (!IsFull()) size = std::min(size, bytes_ / kDictionaryShare);
  if (size == 0) return nullptr;
  const bool is_trained = how.zstd_max_train_bytes > 0;
  DictionarySamples samples =
      Sample(is_trained ? how.zstd_max_train_bytes : size);
  std::string raw;
  if (!is_trained) {
    raw = std::move(samples.bytes);
  } else if (how.use_zstd_dict_trainer) {
    raw = TrainDictionary(samples, size);
  } else {
    raw = FinalizeDictionary(samples, size, how.level);
  }
  TAMIS_CHECK(raw.size() <= size);
  return CompressionDictionary::New(options_.compression, std::move(raw),
                                    how.level);
}

}  // namespace tamis
