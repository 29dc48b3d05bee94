// SPDX-License-Identifier: Apache-2.0
#include "tools/recompress.h"

#include <chrono>
#include <cstdio>

#include "tamis/statistics.h"

#include "db/options/option_enums.h"
#include "table/table_builder.h"
#include "tools/json_text.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

// Counts what is written to it.
class CountingFile : public WritableFile {
 public:
  Status Append(const Slice& data) override {
    bytes_ += data.size();
    return {};
  }
  Status Flush() override { return {}; }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  uint64_t GetFileSize() const override { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

Status AddAll(const RawTable& table, TableBuilder* builder) {
  TAMIS_RETURN_IF_ERROR(
      table.ForEachRow(Slice(), [&](const Slice& key, const Slice& value) {
        builder->Add(key, value);
        return builder->ok();
      }));
  for (const RawTable::MetaBlock& block : table.metaindex()) {
    if (block.name != kRangeDeletionBlockName) continue;
    TAMIS_RETURN_IF_ERROR(table.ForEachEntry(
        block.handle, BlockKind::kMeta, BlockFormat(),
        [&](const BlockIterator& entry) {
          if (entry.key().size() < kInternalKeyTailBytes) {
            return entry.origin().Corruption("a range deletion's short key");
          }
          builder->AddRangeDeletion(ExtractUserKey(entry.key()), entry.value(),
                                    ExtractTail(entry.key()) >> 8);
          return Status::OK();
        }));
  }
  return builder->status();
}

Result<Recompressed> Rewrite(const RawTable& table, const RecompressPlan& plan,
                             CompressionType type, int level) {
  TableBuildOptions options(table.order());
  options.table.block_size = plan.block_size;
  options.compression = type;
  options.compression_opts = plan.compression;
  options.compression_opts.level = level;
  options.file_name = table.path() + " recompressed";
  const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
  options.statistics = statistics.get();
  const auto begun = std::chrono::steady_clock::now();
  CountingFile file;
  TableBuilder builder(options, &file);
  const Status added = AddAll(table, &builder);
  if (!added.ok()) {
    builder.Abandon();
    return added;
  }
  TAMIS_RETURN_IF_ERROR(builder.Finish());
  const auto taken = std::chrono::steady_clock::now() - begun;
  Recompressed result;
  result.type = type;
  result.level = level;
  result.file_size = builder.FileSize();
  result.data_blocks = builder.properties().num_data_blocks;
  result.micros = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(taken).count());
  result.compressed = statistics->getTickerCount(NUMBER_BLOCK_COMPRESSED);
  result.not_compressed =
      statistics->getTickerCount(NUMBER_BLOCK_NOT_COMPRESSED);
  return result;
}

}  // namespace

Result<CompressionType> ParseCompressionType(const std::string& name) {
  std::string names;
  for (const CompressionType type : AllCompressionTypes()) {
    const std::string known = CompressionEnumName(type);
    if (name == known) return type;
    names += (names.empty() ? "" : ", ") + known;
  }
  return Status::InvalidArgument("no compression type " + name +
                                 ", but: " + names);
}

std::string CompressionEnumName(CompressionType type) {
  for (const auto& known : EnumNames<CompressionType>()) {
    if (known.value == type) return std::string(known.name);
  }
  return std::to_string(static_cast<int>(type));
}

std::vector<CompressionType> AllCompressionTypes() {
  std::vector<CompressionType> types;
  for (const auto& known : EnumNames<CompressionType>()) {
    if (known.value != kDisableCompressionOption) types.push_back(known.value);
  }
  return types;
}

Status Recompress(const RawTable& table, const RecompressPlan& plan,
                  const std::function<void(CompressionType)>& begin,
                  const std::function<void(CompressionType)>& unsupported,
                  const std::function<void(const Recompressed&)>& done) {
  for (const CompressionType type : plan.types) {
    if (!CompressionSupported(type)) {
      unsupported(type);
      continue;
    }
    begin(type);
    for (int level = plan.level_from; level <= plan.level_to; ++level) {
      const Result<Recompressed> result = Rewrite(table, plan, type, level);
      // A codec that this build lacks.
      if (!result.ok() && result.status().IsNotSupported()) {
        unsupported(type);
        break;
      }
      if (!result.ok()) return result.status();
      done(*result);
    }
  }
  return Status::OK();
}

std::string RecompressedLine(const Recompressed& result) {
  const uint64_t blocks = result.compressed + result.not_compressed;
  const auto percent = [blocks](uint64_t part) {
    return blocks == 0
               ? 0.0
               : 100 * static_cast<double>(part) / static_cast<double>(blocks);
  };
  char line[256];
  std::snprintf(
      line, sizeof(line),
      "Compression level: %d Size: %10llu Blocks: %6llu Time Taken: %10llu "
      "microsecs Compressed: %6llu (%5.1f%%) Not compressed: %6llu (%5.1f%%)\n",
      result.level, static_cast<unsigned long long>(result.file_size),
      static_cast<unsigned long long>(result.data_blocks),
      static_cast<unsigned long long>(result.micros),
      static_cast<unsigned long long>(result.compressed),
      percent(result.compressed),
      static_cast<unsigned long long>(result.not_compressed),
      percent(result.not_compressed));
  return line;
}

std::string RecompressedJson(const Recompressed& result) {
  JsonObject row;
  row.Text("type", CompressionEnumName(result.type))
      .Value("level", std::to_string(result.level))
      .Number("file_size", result.file_size)
      .Number("data_blocks", result.data_blocks)
      .Number("micros", result.micros)
      .Number("compressed", result.compressed)
      .Number("not_compressed", result.not_compressed);
  return row.ToString();
}

}  // namespace tamis
