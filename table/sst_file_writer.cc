// SPDX-License-Identifier: Apache-2.0
#include "tamis/sst_file_writer.h"

#include <utility>

#include "tamis/column_family.h"

#include "table/properties.h"
#include "table/table_builder.h"
#include "table/unique_id.h"
#include "util/base/exceptions.h"
#include "util/cache/block_cache.h"
#include "util/coding/printable.h"
#include "util/compression/compression.h"
#include "util/io/chosen_file_system.h"
#include "util/io/file_checksum_maker.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr uint32_t kAnyFamily = 0x7fffffff;

Status NotOpen() {
  return Status::InvalidArgument("SstFileWriter", "no file is open");
}

}  // namespace

struct SstFileWriter::Rep {
  explicit Rep(const Options& user_options)
      : options(user_options),
        order(user_options.comparator),
        session_id(NewSessionId()) {
    options.file_system = ChosenFileSystem(options.file_system, options.env);
    if (options.clock == nullptr) options.clock = NewSystemClock();
    if (options.table_factory == nullptr) {
      options.table_factory.reset(NewBlockBasedTableFactory());
    }
  }

  TableBuildOptions BuildOptions();
  // Runs the call; on an exception, removes the unfinished file.
  template <typename Call>
  Status Guarded(const Call& call);
  Status Open(const std::string& file_path);
  Status DeleteRange(const Slice& begin, const Slice& end);
  Status Finish(ExternalSstFileInfo* file_info);
  Status Add(const Slice& user_key, const Slice& value, ValueType type);
  void CoverRange(const Slice& begin, const Slice& end);
  Status Close();
  void Drop();

  Options options;
  const KeyOrder order;
  const std::string session_id;
  uint32_t family_id = kAnyFamily;
  std::string family_name;
  uint64_t files = 0;  // number opened so far; used as file number
  std::unique_ptr<ChecksummedWrites> file;
  std::unique_ptr<TableBuilder> builder;  // nullptr if no file is open
  ExternalSstFileInfo info;
  std::string key;  // reused
};

namespace {

// The codec of the deepest level, to which ingestion puts the table if it can.
CompressionType CodecOf(const Options& options) {
  if (options.bottommost_compression != kDisableCompressionOption) {
    return options.bottommost_compression;
  }
  return options.compression_per_level.empty()
             ? options.compression
             : options.compression_per_level.back();
}

const CompressionOptions& CompressionOptionsOf(const Options& options) {
  return options.bottommost_compression != kDisableCompressionOption &&
                 options.bottommost_compression_opts.enabled
             ? options.bottommost_compression_opts
             : options.compression_opts;
}

}  // namespace

TableBuildOptions SstFileWriter::Rep::BuildOptions() {
  TableBuildOptions build(order);
  SetFormat(*options.table_factory, &build);
  build.compression = CodecOf(options);
  build.compression_opts = CompressionOptionsOf(options);
  build.prefix_extractor = options.prefix_extractor;
  if (options.merge_operator != nullptr) {
    build.merge_operator_name = options.merge_operator->Name();
  }
  build.collector_factories = options.table_properties_collector_factories;
  build.logger = options.info_log.get();
  build.is_external_file = true;
  build.column_family_id = family_id;
  build.column_family_name = family_name;
  build.statistics = options.statistics.get();
  build.bytes_per_sync = options.bytes_per_sync;
  build.block_cache = dynamic_cast<BlockCache*>(build.table.block_cache.get());
  if (build.block_cache != nullptr && !build.block_cache->IsUsable()) {
    build.block_cache = nullptr;
  }
  build.file_name = info.file_path;
  build.creation_time = options.clock->NowMicros() / 1'000'000;
  build.file_creation_time = build.creation_time;
  build.db_id = "SST Writer";
  build.db_session_id = session_id;
  build.file_number = ++files;
  return build;
}

Status SstFileWriter::Rep::Add(const Slice& user_key, const Slice& value,
                               ValueType type) {
  if (builder == nullptr) return NotOpen();
  if (info.num_entries != 0 &&
      order.CompareUserKeys(user_key, info.largest_key) <= 0) {
    return Status::InvalidArgument(
        info.file_path,
        "keys must be added in strictly ascending order, but '" +
            PrintableHex(user_key) + "' does not sort after '" +
            PrintableHex(info.largest_key) + "'");
  }
  if (info.num_entries == 0) info.smallest_key = user_key.ToString();
  info.largest_key.assign(user_key.data(), user_key.size());
  ++info.num_entries;
  key.clear();
  AppendInternalKey(&key, user_key, 0, type);
  builder->Add(key, value);
  return builder->status();
}

void SstFileWriter::Rep::CoverRange(const Slice& begin, const Slice& end) {
  const bool first = info.num_range_del_entries == 0;
  if (first || order.CompareUserKeys(begin, info.smallest_range_del_key) < 0) {
    info.smallest_range_del_key = begin.ToString();
  }
  if (first || order.CompareUserKeys(end, info.largest_range_del_key) > 0) {
    info.largest_range_del_key = end.ToString();
  }
  ++info.num_range_del_entries;
}

Status SstFileWriter::Rep::Close() {
  if (info.num_entries + info.num_range_del_entries == 0) {
    return Status::InvalidArgument(
        info.file_path, "no entries were added, so no table was written");
  }
  // Whatever Finish returns, the builder must not be abandoned afterwards.
  const std::unique_ptr<TableBuilder> finished = std::move(builder);
  TAMIS_RETURN_IF_ERROR(finished->Finish());
  info.file_size = finished->FileSize();
  const auto checksum = file->FinishChecksum();
  if (!checksum.ok()) return checksum.status();
  info.file_checksum = checksum->value;
  info.file_checksum_func_name = checksum->function;
  TAMIS_RETURN_IF_ERROR(file_io::Sync(file.get()));
  return file->Close();
}

template <typename Call>
Status SstFileWriter::Rep::Guarded(const Call& call) {
  bool returned = false;
  Status status = CatchExceptions([&] {
    Status result = call();
    returned = true;
    return result;
  });
  if (!returned) IgnoreExceptions([this] { Drop(); });
  return status;
}

void SstFileWriter::Rep::Drop() {
  if (builder != nullptr) builder->Abandon();
  builder.reset();
  if (file == nullptr) return;
  file.reset();
  options.file_system->RemoveFile(info.file_path).PermitUncheckedError();
}

SstFileWriter::SstFileWriter(const Options& options,
                             ColumnFamilyHandle* column_family)
    : rep_(std::make_unique<Rep>(options)) {
  if (column_family == nullptr) return;
  rep_->family_id = column_family->GetID();
  rep_->family_name = column_family->GetName();
}

SstFileWriter::~SstFileWriter() {
  IgnoreExceptions([this] { rep_->Drop(); });
}

Status SstFileWriter::Rep::Open(const std::string& file_path) {
  Drop();
  info = ExternalSstFileInfo();
  info.file_path = file_path;
  info.version = static_cast<int32_t>(kExternalVersion);
  if (!CompressionSupported(CodecOf(options))) {
    return Status::NotSupported("Options::compression",
                                std::string("this build cannot write ") +
                                    CompressionTypeName(CodecOf(options)));
  }
  const TableBuildOptions build = BuildOptions();
  TAMIS_RETURN_IF_ERROR(CheckFormat(build));
  auto checksum = FileChecksumMaker::Make(
      options.file_checksum_gen_factory.get(), file_path);
  if (!checksum.ok()) return checksum.status();
  std::unique_ptr<WritableFile> base;
  TAMIS_RETURN_IF_ERROR(file_io::Create(options.file_system.get(), file_path,
                                        {.role = FileRole::kTable}, &base));
  file = std::make_unique<ChecksummedWrites>(std::move(base),
                                             std::move(checksum).value());
  builder = std::make_unique<TableBuilder>(build, file.get());
  Status status = builder->status();
  if (!status.ok()) Drop();
  return status;
}

Status SstFileWriter::Open(const std::string& file_path) {
  return rep_->Guarded([&] { return rep_->Open(file_path); });
}

Status SstFileWriter::Put(const Slice& user_key, const Slice& value) {
  return rep_->Guarded([&] { return rep_->Add(user_key, value, kTypeValue); });
}

Status SstFileWriter::Merge(const Slice& user_key, const Slice& value) {
  return rep_->Guarded([&] { return rep_->Add(user_key, value, kTypeMerge); });
}

Status SstFileWriter::Delete(const Slice& user_key) {
  return rep_->Guarded(
      [&] { return rep_->Add(user_key, Slice(), kTypeDeletion); });
}

Status SstFileWriter::SingleDelete(const Slice& user_key) {
  return rep_->Guarded(
      [&] { return rep_->Add(user_key, Slice(), kTypeSingleDeletion); });
}

Status SstFileWriter::Rep::DeleteRange(const Slice& begin, const Slice& end) {
  if (builder == nullptr) return NotOpen();
  const int compared = order.CompareUserKeys(begin, end);
  if (compared > 0) {
    return Status::InvalidArgument(
        info.file_path, "begin '" + PrintableHex(begin) +
                            "' sorts after end '" + PrintableHex(end) + "'");
  }
  if (compared == 0) return Status::OK();
  CoverRange(begin, end);
  builder->AddRangeDeletion(begin, end, 0);
  return builder->status();
}

Status SstFileWriter::DeleteRange(const Slice& begin_key,
                                  const Slice& end_key) {
  return rep_->Guarded([&] { return rep_->DeleteRange(begin_key, end_key); });
}

Status SstFileWriter::Rep::Finish(ExternalSstFileInfo* file_info) {
  if (builder == nullptr) return NotOpen();
  Status status = Close();
  if (!status.ok()) {
    Drop();
    return status;
  }
  file.reset();
  if (file_info != nullptr) *file_info = info;
  return status;
}

Status SstFileWriter::Finish(ExternalSstFileInfo* file_info) {
  return rep_->Guarded([&] { return rep_->Finish(file_info); });
}

uint64_t SstFileWriter::FileSize() const {
  return rep_->builder != nullptr ? rep_->builder->EstimatedFileSize()
                                  : rep_->info.file_size;
}

}  // namespace tamis
