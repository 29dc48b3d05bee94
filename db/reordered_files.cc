// SPDX-License-Identifier: Apache-2.0
#include "db/reordered_files.h"

#include <memory>

#include "tamis/comparator.h"
#include "tamis/iterator.h"
#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"

#include "db/base/file_names.h"
#include "util/base/exceptions.h"

namespace tamis {

namespace {

Options OptionsFor(const DBContext& context) {
  Options options(context.options, ColumnFamilyOptions());
  options.comparator = BytewiseComparator();
  return options;
}

}  // namespace

ReorderedFiles::~ReorderedFiles() {
  IgnoreExceptions([this] {
    for (const std::string& path : rewritten_) {
      (void)context_.fs()->RemoveFile(path);
    }
  });
}

bool ReorderedFiles::IsForeign(const ColumnFamily& family,
                               const std::string& path) const {
  const Comparator* const order = family.fixed_options().comparator;
  if (order == BytewiseComparator()) return false;
  SstFileReader reader(OptionsFor(context_));
  return reader.Open(path).ok() &&
         reader.GetTableProperties()->comparator_name ==
             BytewiseComparator()->Name() &&
         reader.GetTableProperties()->comparator_name != order->Name();
}

Result<std::string> ReorderedFiles::Rewrite(const ColumnFamily& family,
                                            const std::string& path,
                                            FileNumber temporary_number) {
  SstFileReader reader(OptionsFor(context_));
  TAMIS_RETURN_IF_ERROR(reader.Open(path));
  const TableProperties& properties = *reader.GetTableProperties();
  if (properties.num_deletions + properties.num_range_deletions +
          properties.num_merge_operands >
      0) {
    return Status::NotSupported(
        path, "it was written with comparator '" + properties.comparator_name +
                  "' and has more than puts: write it with '" +
                  family.fixed_options().comparator->Name() + "'");
  }
  SstFileWriter writer(Options(context_.options, family.options()));
  std::string to = TempFileName(context_.directory, temporary_number);
  rewritten_.push_back(to);
  TAMIS_RETURN_IF_ERROR(writer.Open(to));
  ReadOptions once;
  once.fill_cache = false;
  const std::unique_ptr<Iterator> entries(reader.NewIterator(once));
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Status added = writer.Put(entries->key(), entries->value());
    if (added.ok()) continue;
    return Status::InvalidArgument(
        path, "it was written with comparator '" + properties.comparator_name +
                  "', opened with '" +
                  family.fixed_options().comparator->Name() +
                  "': " + added.message());
  }
  TAMIS_RETURN_IF_ERROR(entries->status());
  TAMIS_RETURN_IF_ERROR(writer.Finish());
  return to;
}

}  // namespace tamis
