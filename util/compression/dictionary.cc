// SPDX-License-Identifier: Apache-2.0
#include "util/compression/dictionary.h"

#include <utility>

#include "util/compression/codec.h"

namespace tamis {

size_t DictionaryBytesMax(CompressionType type) {
  const CodecFunctions* const functions = FunctionsOf(type);
  return functions == nullptr ? 0 : functions->dictionary_bytes_max;
}

std::unique_ptr<CompressionDictionary> CompressionDictionary::New(
    CompressionType type, std::string raw, int level) {
  if (raw.empty() || raw.size() > DictionaryBytesMax(type)) return nullptr;
  std::unique_ptr<CompressionDictionary> dictionary(
      new CompressionDictionary(std::move(raw)));
  dictionary->codec_ =
      FunctionsOf(type)->with_dictionary(dictionary->raw_, level);
  if (dictionary->codec_ == nullptr) return nullptr;
  return dictionary;
}

bool CompressionDictionary::Compress(const Slice& block, PayloadForm form,
                                     std::string* out) {
  return block.size() <= kMaxCompressibleBytes &&
         codec_->Compress(block, form, out);
}

}  // namespace tamis
