// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/database.h"

#include <utility>

#include "tamis/utilities/merge_operators.h"

#include "db/manifest/manifest_state.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

const Comparator* ComparatorOf(const std::string& name) {
  for (const Comparator* comparator :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    if (name == comparator->Name()) return comparator;
  }
  return nullptr;
}

// With create_if_missing, the database need not exist yet.
Result<std::vector<ColumnFamilyDescriptor>> FamiliesToOpen(
    const Options& options) {
  auto families = ListedFamilies();
  if (families.ok() || !options.create_if_missing) return families;
  std::vector<ColumnFamilyDescriptor> fresh;
  fresh.emplace_back(kDefaultColumnFamilyName, options);
  return fresh;
}

int Use(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
        const std::function<int(DB*, ColumnFamilyHandle*)>& use) {
  for (ColumnFamilyHandle* handle : handles) {
    if (handle->GetName() == FLAGS_column_family) return use(db, handle);
  }
  return Failed(Status::InvalidArgument("there is no column family " +
                                        FLAGS_column_family));
}

}  // namespace

Result<Options> OptionsFromFlags() {
  Options options;
  options.table_factory.reset(NewBlockBasedTableFactory());
  options.wal_dir = FLAGS_wal_dir;
  if (FLAGS_comparator == "reverse") {
    options.comparator = ReverseBytewiseComparator();
  }
  if (!FLAGS_merge_operator.empty()) {
    options.merge_operator =
        MergeOperators::CreateFromName(FLAGS_merge_operator);
    if (options.merge_operator == nullptr) {
      return Status::InvalidArgument("unknown --merge_operator " +
                                     FLAGS_merge_operator);
    }
  }
  return options;
}

Result<ColumnFamilyOptions> FamilyOptions(const std::string& comparator) {
  auto options = OptionsFromFlags();
  if (!options.ok()) return options.status();
  if (!comparator.empty()) options->comparator = ComparatorOf(comparator);
  if (options->comparator == nullptr) {
    return Status::NotSupported("this tool has no comparator " +
                                Printable(comparator));
  }
  return ColumnFamilyOptions(*options);
}

Result<std::vector<ColumnFamilyDescriptor>> ListedFamilies() {
  const auto manifest = ReadManifest(NewPosixFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return manifest.status();
  std::vector<ColumnFamilyDescriptor> families;
  for (const auto& [id, family] : manifest->families) {
    auto options = FamilyOptions(family.comparator);
    if (!options.ok()) return options.status();
    families.emplace_back(family.name, *options);
  }
  return families;
}

int WithDatabase(Access access,
                 const std::function<int(DB*, ColumnFamilyHandle*)>& use) {
  auto options = OptionsFromFlags();
  if (!options.ok()) return Misused(options.status().message());
  options->create_if_missing =
      access == Access::kCreate && FLAGS_create_if_missing;
  const auto families = FamiliesToOpen(*options);
  if (!families.ok()) return Failed(families.status());
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status opened =
      access == Access::kRead
          ? DB::OpenForReadOnly(*options, FLAGS_db, *families, &handles, &db)
          : DB::Open(*options, FLAGS_db, *families, &handles, &db);
  if (!opened.ok()) return Failed(opened);
  const int code = Use(db.get(), handles, use);
  for (ColumnFamilyHandle* handle : handles) delete handle;
  const Status closed = db->Close();
  return code == kExitRight && !closed.ok() ? Failed(closed) : code;
}

}  // namespace tamis
