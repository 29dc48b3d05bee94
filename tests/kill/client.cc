// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/client.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "tamis/table.h"
#include "tamis/utilities/merge_operators.h"

#include "util/base/result.h"

namespace tamis::kill {

Options OptionsOf(const Setting& setting) {
  BlockBasedTableOptions table;
  table.block_size = 1024;
  Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 64 * 1024;
  options.max_bytes_for_level_base = 128 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  setting.change(&options, &table);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

std::vector<ColumnFamilyDescriptor> Descriptors(
    const Options& options, const std::vector<std::string>& names) {
  std::vector<ColumnFamilyDescriptor> descriptors;
  for (size_t i = 0; i < kFamilies; ++i) {
    const bool listed =
        std::find(names.begin(), names.end(), kFamilyNames[i]) != names.end();
    if (i == kFourth && !listed) continue;
    ColumnFamilyOptions family(options);
    family.comparator = ComparatorOf(i);
    if (i == kMerging) {
      family.merge_operator = MergeOperators::CreateStringAppendOperator();
    }
    descriptors.emplace_back(kFamilyNames[i], family);
  }
  return descriptors;
}

Status ListFamilies(const std::string& directory,
                    std::vector<std::string>* names) {
  names->clear();
  if (::access((directory + "/CURRENT").c_str(), F_OK) != 0) {
    return Status::OK();
  }
  return DB::ListColumnFamilies(DBOptions(), directory, names);
}

Status Client::Open(const std::string& directory) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(ListFamilies(directory, &names));
  const auto descriptors = Descriptors(options_, names);
  std::vector<ColumnFamilyHandle*> handles;
  TAMIS_RETURN_IF_ERROR(
      DB::Open(options_, directory, descriptors, &handles, &db_));
  for (ColumnFamilyHandle* handle : handles) {
    for (size_t i = 0; i < kFamilies; ++i) {
      if (handle->GetName() == kFamilyNames[i]) families_[i] = handle;
    }
  }
  return Status::OK();
}

Status Client::Close() {
  for (ColumnFamilyHandle*& family : families_) {
    delete std::exchange(family, nullptr);
  }
  return db_->Close();
}

Status Client::Do(const Operation& operation, const WriteOptions& options) {
  ColumnFamilyHandle*& fourth = families_[kFourth];
  switch (operation.kind) {
    case Operation::Kind::kWrite:
      return Write(operation, options);
    case Operation::Kind::kFlush: {
      FlushOptions flush;
      flush.wait = operation.sync;
      return db_->Flush(flush, families_[operation.family]);
    }
    case Operation::Kind::kCompactRange:
      return db_->CompactRange(CompactRangeOptions(),
                               families_[operation.family], nullptr, nullptr);
    case Operation::Kind::kCreateFourth:
      return db_->CreateColumnFamily(
          Descriptors(options_, {kFamilyNames[kFourth]}).back().options,
          kFamilyNames[kFourth], &fourth);
    case Operation::Kind::kDropFourth: {
      const Status dropped = db_->DropColumnFamily(fourth);
      if (!dropped.ok()) return dropped;
      return db_->DestroyColumnFamilyHandle(std::exchange(fourth, nullptr));
    }
  }
  return Status::OK();
}

Status Client::Write(const Operation& operation, const WriteOptions& options) {
  WriteBatch batch;
  for (const Change& change : operation.changes) {
    ColumnFamilyHandle* const family = families_[change.family];
    switch (change.kind) {
      case Change::Kind::kPut:
        TAMIS_RETURN_IF_ERROR(batch.Put(family, change.key, change.value));
        break;
      case Change::Kind::kDelete:
        TAMIS_RETURN_IF_ERROR(batch.Delete(family, change.key));
        break;
      case Change::Kind::kSingleDelete:
        TAMIS_RETURN_IF_ERROR(batch.SingleDelete(family, change.key));
        break;
      case Change::Kind::kDeleteRange:
        TAMIS_RETURN_IF_ERROR(
            batch.DeleteRange(family, change.key, change.value));
        break;
      case Change::Kind::kMerge:
        TAMIS_RETURN_IF_ERROR(batch.Merge(family, change.key, change.value));
        break;
    }
  }
  return db_->Write(options, &batch);
}

}  // namespace tamis::kill
