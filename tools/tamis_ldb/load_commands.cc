// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/load_commands.h"

#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "tamis/sst_file_writer.h"

#include "tools/progress.h"
#include "tools/tamis_ldb/bulk_load.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/words.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

using Sink = std::function<Status(std::string key, std::string value)>;

// "KEY ==> VALUE" of dump, or else "KEY : VALUE" of scan.
bool SplitLine(const std::string& line, std::string* key, std::string* value) {
  for (const char* mark : {" ==> ", " : "}) {
    const size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    *key = line.substr(0, at);
    *value = line.substr(at + std::string(mark).size());
    return true;
  }
  // An empty value.
  if (line.ends_with(" ==>")) {
    *key = line.substr(0, line.size() - 4);
    value->clear();
    return true;
  }
  return false;
}

// The size of stdin; 0: it is no file.
uint64_t InputBytes() {
  struct stat facts {};
  if (fstat(STDIN_FILENO, &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
  return static_cast<uint64_t>(facts.st_size);
}

// What was wrong with the lines.
struct BadLines {
  uint64_t count = 0;
  uint64_t first = 0;
  std::string why;  // of the first

  void Add(uint64_t line, const std::string& reason) {
    if (count++ == 0) {
      first = line;
      why = reason;
    }
  }
};

// Passes the entries of stdin to `take`. Lines without one are bad, except for
// the last line of dump.
Status ReadEntries(const Sink& take, BadLines* bad) {
  std::ios::sync_with_stdio(false);
  Progress progress("entries", InputBytes());
  uint64_t lines = 0;
  uint64_t entries = 0;
  uint64_t bytes = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++lines;
    bytes += line.size() + 1;
    std::string key;
    std::string value;
    if (!SplitLine(line, &key, &value)) {
      if (!line.starts_with("Keys in range: ")) {
        bad->Add(lines, "expected KEY ==> VALUE or KEY : VALUE");
      }
      continue;
    }
    auto parsed_key = ParseKey(key);
    auto parsed_value = ParseValue(value);
    if (!parsed_key.ok() || !parsed_value.ok()) {
      const Status& why =
          parsed_key.ok() ? parsed_value.status() : parsed_key.status();
      bad->Add(lines, std::string(why.message()));
      continue;
    }
    TAMIS_RETURN_IF_ERROR(
        take(*std::move(parsed_key), *std::move(parsed_value)));
    progress.Step(++entries, bytes);
  }
  return std::cin.bad() ? Status::IOError("stdin", "cannot be read")
                        : Status::OK();
}

int Ending(const BadLines& bad) {
  if (bad.count == 0) return kExitRight;
  return Failed(Status::Corruption(
      "stdin", std::to_string(bad.count) + " bad lines ignored, the first is " +
                   std::to_string(bad.first) + ": " + bad.why));
}

// Writes entries in batches.
class BatchLoad {
 public:
  BatchLoad(DB* db, ColumnFamilyHandle* family) : db_(db), family_(family) {
    options_.disableWAL = FLAGS_disable_wal;
  }

  Status Add(const std::string& key, const std::string& value) {
    TAMIS_RETURN_IF_ERROR(batch_.Put(family_, key, value));
    constexpr uint32_t kEntries = 1000;
    return batch_.Count() < kEntries ? Status::OK() : Write();
  }

  Status Finish() {
    TAMIS_RETURN_IF_ERROR(Write());
    // Without the log, tables alone keep them.
    return FLAGS_disable_wal ? db_->Flush(FlushOptions(), family_)
                             : Status::OK();
  }

 private:
  Status Write() {
    const Status status = db_->Write(options_, &batch_);
    batch_.Clear();
    return status;
  }

  DB* const db_;
  ColumnFamilyHandle* const family_;
  WriteOptions options_;
  WriteBatch batch_;
};

}  // namespace

int Load(const Call&) {
  if (FLAGS_bulk_load && FLAGS_db.starts_with("rados://")) {
    return Misused(
        "--bulk_load sorts in files of the database's directory, which must be "
        "one of this machine");
  }
  return WithDatabase(Access::kCreate, [](DB* db, ColumnFamilyHandle* family) {
    BadLines bad;
    Status status;
    if (FLAGS_bulk_load) {
      BulkLoad load(db, family, FLAGS_db);
      status = ReadEntries(
          [&load](std::string key, std::string value) {
            return load.Add(std::move(key), std::move(value));
          },
          &bad);
      if (status.ok()) status = load.Finish();
    } else {
      BatchLoad load(db, family);
      status = ReadEntries(
          [&load](const std::string& key, const std::string& value) {
            return load.Add(key, value);
          },
          &bad);
      if (status.ok()) status = load.Finish();
    }
    if (status.ok() && FLAGS_compact) {
      status =
          db->CompactRange(CompactRangeOptions(), family, nullptr, nullptr);
    }
    return status.ok() ? Ending(bad) : Failed(status);
  });
}

int WriteExternSst(const Call& call) {
  const std::string& path = call.words[0];
  return WithDatabase(Access::kRead, [&](DB* db, ColumnFamilyHandle* family) {
    SstFileWriter writer(db->GetOptions(family), family);
    BadLines bad;
    Status status = writer.Open(path);
    if (status.ok()) {
      status = ReadEntries(
          [&writer](const std::string& key, const std::string& value) {
            return writer.Put(key, value);
          },
          &bad);
    }
    if (status.ok()) status = writer.Finish();
    if (!status.ok()) return Failed(status);
    Print("external SST file written to " + path + "\n");
    return Ending(bad);
  });
}

int IngestExternSst(const Call& call) {
  return WithDatabase(Access::kCreate, [&](DB* db, ColumnFamilyHandle* family) {
    IngestExternalFileOptions options;
    options.move_files = FLAGS_move_files;
    options.snapshot_consistency = FLAGS_snapshot_consistency;
    options.allow_global_seqno = FLAGS_allow_global_seqno;
    options.allow_blocking_flush = FLAGS_allow_blocking_flush;
    options.ingest_behind = FLAGS_ingest_behind;
    const Status status = db->IngestExternalFile(family, call.words, options);
    if (!status.ok()) return Failed(status);
    Print("external SST files ingested\n");
    return int{kExitRight};
  });
}

}  // namespace tamis
