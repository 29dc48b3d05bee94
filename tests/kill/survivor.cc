// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/survivor.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/databases.h"
#include "util/base/result.h"

namespace tamis::kill {

namespace {

// ldb takes comparators and merge operators from no flag, but from the newest
// file of options. That of a process that was killed may lack a family.
void WriteOptionsFile(const std::string& directory,
                      const std::vector<std::string>& names) {
  std::ofstream out(directory + "/OPTIONS-999999");
  out << "[Version]\n"
         "  rocksdb_version=7.8.3\n"
         "  options_file_version=1.1\n"
         "[DBOptions]\n";
  for (const std::string& name : names) {
    out << "[CFOptions \"" << name << "\"]\n";
    if (name == kFamilyNames[kMerging]) {
      out << "  merge_operator={id=StringAppendOperator;delimiter=,;}\n";
    }
    if (name == kFamilyNames[kReverse]) {
      out << "  comparator=rocksdb.ReverseBytewiseComparator\n";
    }
  }
  EXPECT_TRUE(out.flush());
}

KeyValues ReadFamily(DB* db, ColumnFamilyHandle* family) {
  Status status;
  KeyValues shown = ScanForward(db, &status, ReadOptions(), family);
  EXPECT_TRUE(status.ok()) << family->GetName() << ": " << status;
  EXPECT_EQ(DifferenceFrom(shown, db, &status, ReadOptions(), family), "")
      << family->GetName();
  EXPECT_TRUE(status.ok()) << family->GetName() << ": " << status;
  const Comparator* const order = family->GetComparator();
  const auto disordered = std::adjacent_find(
      shown.begin(), shown.end(), [&](const auto& a, const auto& b) {
        return order->Compare(a.first, b.first) >= 0;
      });
  EXPECT_TRUE(disordered == shown.end())
      << family->GetName() << ": behind " << ToHex(disordered->first);
  return shown;
}

}  // namespace

Status ReadDatabase(const std::string& directory, const Options& options,
                    bool read_only, Survivor* survivor) {
  *survivor = Survivor();
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(ListFamilies(directory, &names));
  if (names.empty()) return Status::OK();
  auto descriptors = Descriptors(options, names);
  if (read_only) {
    std::erase_if(descriptors, [&](const auto& descriptor) {
      return std::find(names.begin(), names.end(), descriptor.name) ==
             names.end();
    });
  }
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  TAMIS_RETURN_IF_ERROR(
      read_only
          ? DB::OpenForReadOnly(options, directory, descriptors, &handles, &db)
          : DB::Open(options, directory, descriptors, &handles, &db));
  for (ColumnFamilyHandle* handle : handles) {
    for (size_t i = 0; i < kFamilies; ++i) {
      if (handle->GetName() != kFamilyNames[i]) continue;
      (*survivor)[i] = ReadFamily(db.get(), handle);
    }
    delete handle;
  }
  return Status::OK();
}

Survivor ReadByTamis(const std::string& directory, const Setting& setting,
                     bool read_only) {
  Survivor survivor;
  const Status status =
      ReadDatabase(directory, OptionsOf(setting), read_only, &survivor);
  EXPECT_TRUE(status.ok()) << status;
  return survivor;
}

std::string FindLdb() {
  CommandResult found = RunCommand("command -v ldb");
  if (found.exit_code == 0) {
    found.output.pop_back();
    return found.output;
  }
  const char* const ci = std::getenv("CI");
  EXPECT_FALSE(ci != nullptr && std::string(ci) == "true")
      << "ldb is missing (Debian: rocksdb-tools)";
  std::fprintf(stderr,
               "*** ldb is missing (Debian: rocksdb-tools): survivors are read "
               "by Tamis alone ***\n");
  return "";
}

KeyValues ReadByLdb(const std::string& ldb, const std::string& directory,
                    const std::string& copy, size_t family) {
  std::vector<std::string> names;
  const Status status = ListFamilies(directory, &names);
  EXPECT_TRUE(status.ok()) << status;
  CopyDirectory(directory, copy);
  WriteOptionsFile(copy, names);
  const CommandResult scanned =
      RunCommand(ldb + " --db=" + copy + " --try_load_options=true" +
                 " --column_family=" + kFamilyNames[family] + " --hex scan");
  std::string rest;
  KeyValues shown = ParseHexScan(scanned.output, &rest);
  EXPECT_EQ(scanned.exit_code, 0);
  EXPECT_EQ(rest, "");
  return shown;
}

Model PartOf(const Survivor& survivor, uint32_t thread) {
  const std::string prefix = PrefixOf(thread);
  Model part;
  part.fourth_exists = thread == 0 && survivor[kFourth].has_value();
  for (size_t i = 0; i < kFamilies; ++i) {
    if (!survivor[i].has_value()) continue;
    for (const auto& [key, value] : *survivor[i]) {
      if (key.starts_with(prefix)) part.families[i][key] = value;
    }
  }
  return part;
}

std::string ModelDifference(const Model& expected, const Model& got) {
  for (size_t i = 0; i < kFamilies; ++i) {
    const auto& left = expected.families[i];
    const auto& right = got.families[i];
    const std::string difference =
        Difference(KeyValues(left.begin(), left.end()),
                   KeyValues(right.begin(), right.end()));
    if (!difference.empty()) {
      return std::string(kFamilyNames[i]) + ": " + difference;
    }
  }
  if (expected.fourth_exists == got.fourth_exists) return "";
  return expected.fourth_exists ? "the fourth family is missing"
                                : "the fourth family is there";
}

uint64_t Advance(const Round& round, uint32_t thread,
                 const ExpectedState::Progress& progress,
                 const Survivor& survivor, Model* model) {
  const uint64_t acknowledged = progress.acknowledged;
  const uint64_t under_way = progress.begun - acknowledged;
  EXPECT_LE(under_way, 1U);
  Row row(round.seed, round.number, thread, *model);
  for (uint64_t i = 0; i < acknowledged; ++i) row.Next();
  const Model part = PartOf(survivor, thread);
  std::string difference = ModelDifference(row.model(), part);
  if (!difference.empty() && under_way == 1) {
    row.Next();
    const std::string with_it = ModelDifference(row.model(), part);
    difference =
        with_it.empty() ? "" : difference + "; and with one more: " + with_it;
  }
  EXPECT_EQ(difference, "")
      << "thread " << thread << " after " << acknowledged
      << " acknowledged operations, " << under_way << " more under way";
  *model = row.model();
  return acknowledged;
}

}  // namespace tamis::kill
