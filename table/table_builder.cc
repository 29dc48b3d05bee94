// SPDX-License-Identifier: Apache-2.0
//
// A TableBuilder passes each call on to the writer of its format.
#include "table/table_builder.h"

#include <utility>

#include "tamis/version.h"

#include "table/cuckoo_table_builder.h"
#include "table/plain_table_builder.h"
#include "table/properties.h"
#include "table/table_builder_rep.h"
#include "util/base/check.h"

namespace tamis {

namespace {

// In RocksDB's words; informational only.
std::string CompressionOptionsText(const CompressionOptions& options) {
  const auto text = [](const char* name, uint64_t value) {
    return std::string(name) + "=" + std::to_string(value) + "; ";
  };
  return "window_bits=-14; level=" + std::to_string(options.level) +
         "; strategy=0; " + text("max_dict_bytes", options.max_dict_bytes) +
         text("zstd_max_train_bytes", options.zstd_max_train_bytes) +
         text("enabled", options.enabled ? 1 : 0) +
         text("max_dict_buffer_bytes", options.max_dict_buffer_bytes) +
         text("use_zstd_dict_trainer", options.use_zstd_dict_trainer ? 1 : 0);
}

TableProperties InitialProperties(const TableBuildOptions& options) {
  TableProperties p;
  p.format_version = options.table.format_version;
  p.index_type = options.table.index_type;
  p.column_family_id = options.column_family_id;
  p.column_family_name = options.column_family_name;
  p.creation_time = options.creation_time;
  p.oldest_key_time = options.oldest_key_time;
  p.file_creation_time = options.file_creation_time;
  p.orig_file_number = options.file_number;
  p.db_id = options.db_id;
  p.db_session_id = options.db_session_id;
  p.db_host_id = options.db_host_id;
  p.comparator_name = options.order.user_comparator()->Name();
  p.merge_operator_name = options.merge_operator_name;
  p.prefix_extractor_name = options.prefix_extractor != nullptr
                                ? options.prefix_extractor->GetId()
                                : "nullptr";
  p.property_collectors_names = CollectorNames(options.collector_factories);
  p.compression_options = CompressionOptionsText(options.compression_opts);
  p.user_collected_properties[kCreatorProperty] = GetVersion();
  RecordDecoupledFilters(options.table.decouple_partitioned_filters, &p);
  if (options.is_external_file) {
    PutFixed32(&p.user_collected_properties[kExternalVersionProperty],
               kExternalVersion);
    PutFixed64(&p.user_collected_properties[kGlobalSequenceProperty], 0);
  }
  return p;
}

}  // namespace

TableBuilder::Rep::Rep(const TableBuildOptions& build_options)
    : options(build_options),
      properties(InitialProperties(options)),
      collectors(options.collector_factories,
                 {options.column_family_id, options.level}, options.logger,
                 options.file_name) {}

Status TableBuilder::Rep::OutOfOrder(const Slice& last,
                                     const Slice& internal_key) const {
  return Status::Corruption(
      options.file_name, "expected a key above " + InternalKeyToString(last) +
                             ", got " + InternalKeyToString(internal_key) +
                             ": its input is out of order");
}

void TableBuilder::Rep::CountType(uint8_t type) {
  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeDeletionWithTimestamp || type == kTypeRangeDeletion) {
    ++properties.num_deletions;
  } else if (type == kTypeMerge) {
    ++properties.num_merge_operands;
  }
}

void SetFormat(const TableFactory& factory, TableBuildOptions* options) {
  options->table = factory.block_based_options();
  options->plain.reset();
  options->cuckoo.reset();
  if (factory.plain_options() != nullptr) {
    options->plain = *factory.plain_options();
  }
  if (factory.cuckoo_options() != nullptr) {
    options->cuckoo = *factory.cuckoo_options();
  }
}

namespace {

Status CheckPlain(const PlainTableOptions& plain, bool has_extractor) {
  if (plain.encoding_type != kPlain && plain.encoding_type != kPrefix) {
    return Status::InvalidArgument(
        "PlainTableOptions::encoding_type",
        "it is " + std::to_string(int{plain.encoding_type}) +
            ", expected kPlain or kPrefix");
  }
  if (plain.encoding_type == kPrefix && !has_extractor) {
    return Status::InvalidArgument("PlainTableOptions::encoding_type",
                                   "kPrefix needs Options::prefix_extractor");
  }
  if (!(plain.hash_table_ratio >= 0)) {
    return Status::InvalidArgument("PlainTableOptions::hash_table_ratio",
                                   "it is not 0 or more");
  }
  return Status::OK();
}

Status CheckCuckoo(const CuckooTableOptions& cuckoo) {
  // Written so that a NaN fails.
  if (cuckoo.hash_table_ratio > 0 && cuckoo.hash_table_ratio <= 1) {
    return Status::OK();
  }
  return Status::InvalidArgument("CuckooTableOptions::hash_table_ratio",
                                 "it is " +
                                     std::to_string(cuckoo.hash_table_ratio) +
                                     ", expected above 0 and at most 1");
}

}  // namespace

Status CheckFormat(const TableBuildOptions& options) {
  if (options.plain) {
    return CheckPlain(*options.plain, options.prefix_extractor != nullptr);
  }
  return options.cuckoo ? CheckCuckoo(*options.cuckoo) : Status::OK();
}

namespace {

std::unique_ptr<TableBuilder::Rep> NewRep(const TableBuildOptions& options,
                                          WritableFile* file) {
  if (options.has_range_deletions) {
    return NewBlockBasedTableBuilder(options, file);
  }
  if (options.plain) return NewPlainTableBuilder(options, file);
  if (options.cuckoo) return NewCuckooTableBuilder(options, file);
  return NewBlockBasedTableBuilder(options, file);
}

}  // namespace

TableBuilder::TableBuilder(const TableBuildOptions& options, WritableFile* file)
    : rep_(NewRep(options, file)) {}

TableBuilder::~TableBuilder() = default;

void TableBuilder::Add(const Slice& internal_key, const Slice& value) {
  rep_->Add(internal_key, value);
}

void TableBuilder::AddRangeDeletion(const Slice& begin, const Slice& end,
                                    SequenceNumber sequence) {
  TAMIS_CHECK(!rep_->closed);
  rep_->AddRangeDeletion(begin, end, sequence);
}

Status TableBuilder::status() const { return rep_->status; }

bool TableBuilder::ok() const { return rep_->status.ok(); }

Slice TableBuilder::last_key() const { return rep_->last_key(); }

Status TableBuilder::Finish() {
  rep_->Close();
  return rep_->Finish();
}

void TableBuilder::Abandon() {
  rep_->Close();
  rep_->Abandon();
}

bool TableBuilder::need_compaction() const {
  TAMIS_CHECK(rep_->closed);
  return rep_->collectors.need_compaction();
}

bool TableBuilder::has_one_value_each() const {
  TAMIS_CHECK(rep_->closed);
  const TableProperties& p = rep_->properties;
  return !rep_->has_versions && p.num_deletions == 0 &&
         p.num_merge_operands == 0 && p.num_range_deletions == 0;
}

uint64_t TableBuilder::NumEntries() const {
  return rep_->properties.num_entries;
}

bool TableBuilder::HasReached(uint64_t file_size) {
  return rep_->HasReached(file_size);
}

uint64_t TableBuilder::EstimatedFileSize() { return rep_->EstimatedFileSize(); }

uint64_t TableBuilder::FileSize() const { return rep_->FileSize(); }

const TableProperties& TableBuilder::properties() const {
  return rep_->properties;
}

std::string TableBuilder::DescribeFormat() const {
  return rep_->DescribeFormat();
}

std::string TableBuilder::DescribeFilters() const {
  return rep_->DescribeFilters();
}

const std::string& TableBuilder::filter_reason() const {
  return rep_->filter_reason();
}

}  // namespace tamis
