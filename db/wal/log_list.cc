// SPDX-License-Identifier: Apache-2.0
#include "db/wal/log_list.h"

#include <algorithm>

#include "db/base/file_names.h"
#include "db/wal/write_batch_internal.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

Status AddLogsOf(FileSystem* fs, const std::string& directory, bool archived,
                 std::vector<ListedLog>* logs) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(fs->GetChildren(directory, &names));
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (file && file->type == FileKind::kLog) {
      logs->push_back({file->number, archived});
    }
  }
  return Status::OK();
}

// The sequence number of the first record with entries; 0 if there is none.
SequenceNumber StartOf(LogReader* reader) {
  std::string record;
  while (reader->ReadRecord(&record) == LogReader::Outcome::kRecord) {
    if (record.size() < WriteBatchInternal::kHeaderBytes) break;
    if (DecodeFixed32(record.data() + sizeof(uint64_t)) > 0) {
      return SequenceNumber{DecodeFixed64(record.data())};
    }
  }
  return SequenceNumber{0};
}

Result<DescribedLog> DescribeAt(FileSystem* fs, const std::string& path,
                                FileNumber number) {
  DescribedLog log;
  TAMIS_RETURN_IF_ERROR(fs->GetFileSize(path, &log.bytes));
  const auto reader = LogReader::Open(fs, path, number, LogKind::kWal);
  if (!reader.ok()) return reader.status();
  log.start = StartOf(reader->get());
  return log;
}

}  // namespace

// The directory first: a log that moves between the two listings is in both.
Result<std::vector<ListedLog>> ListLogs(const DBContext& context) {
  std::vector<ListedLog> logs;
  TAMIS_RETURN_IF_ERROR(AddLogsOf(context.fs(), context.log_directory(),
                                  /*archived=*/false, &logs));
  const Status listed =
      AddLogsOf(context.fs(), ArchiveDirectory(context.log_directory()),
                /*archived=*/true, &logs);
  if (!listed.ok() && !listed.IsPathNotFound()) return listed;
  // Archived ones first, which unique keeps.
  std::sort(logs.begin(), logs.end(),
            [](const ListedLog& a, const ListedLog& b) {
              return a.number != b.number ? a.number < b.number
                                          : a.archived && !b.archived;
            });
  logs.erase(std::unique(logs.begin(), logs.end(),
                         [](const ListedLog& a, const ListedLog& b) {
                           return a.number == b.number;
                         }),
             logs.end());
  return logs;
}

Result<std::unique_ptr<LogReader>> OpenLog(const DBContext& context,
                                           FileNumber number) {
  auto reader = LogReader::Open(context.fs(),
                                LogFileName(context.log_directory(), number),
                                number, LogKind::kWal);
  if (reader.ok() || !reader.status().IsPathNotFound()) return reader;
  return LogReader::Open(context.fs(),
                         ArchivedLogFileName(context.log_directory(), number),
                         number, LogKind::kWal);
}

Result<DescribedLog> DescribeLog(const DBContext& context, FileNumber number) {
  auto log = DescribeAt(context.fs(),
                        LogFileName(context.log_directory(), number), number);
  if (log.ok() || !log.status().IsPathNotFound()) return log;
  log =
      DescribeAt(context.fs(),
                 ArchivedLogFileName(context.log_directory(), number), number);
  if (log.ok()) log->archived = true;
  return log;
}

}  // namespace tamis
