// SPDX-License-Identifier: Apache-2.0
//
// What LOG and listeners are told of an ingestion.
#include <utility>

#include "db/db_impl.h"
#include "db/ingestion.h"
#include "db/manifest/table_path.h"
#include "util/base/exceptions.h"

namespace tamis {

// The file is in the database, whatever comes of its old name.
void DBImpl::RemoveMovedFile(const ExternalFile& file) const noexcept {
  IgnoreExceptions([&] {
    const Status status = context_.fs()->RemoveFile(file.path);
    if (status.ok()) return;
    context_.event_log->Event("ingested_file_not_removed")
        .Add("path", Slice(file.path))
        .Add("status", status);
  });
}

void DBImpl::LogIngestion(const Ingestions& all, const Status& status) const {
  for (const Ingestion& one : all) {
    for (size_t i = 0; i < one.files.size(); ++i) {
      const FileMetaData& meta = one.files[i].meta;
      context_.event_log->Event("file_ingested")
          .Add("path", Slice(one.files[i].path))
          .Add("family", Slice(one.family->name()))
          .Add("file", meta.number.value())
          .Add("level", i < one.levels.size()
                            ? static_cast<uint64_t>(one.levels[i].value())
                            : uint64_t{0})
          .Add("sequence", meta.largest_seqno)
          .Add("status", status);
    }
  }
}

void DBImpl::TellIngestion(const Ingestions& all) const {
  if (context_.listeners == nullptr) return;
  for (const Ingestion& one : all) {
    for (const ExternalFile& file : one.files) {
      ExternalFileIngestionInfo info;
      info.cf_name = one.family->name();
      info.external_file_path = file.path;
      info.internal_file_path = TablePath(context_, file.meta);
      info.global_seqno = file.meta.largest_seqno;
      info.table_properties = *file.properties;
      context_.listeners->Post(
          [info = std::move(info)](EventListener* listener, DB* db) {
            listener->OnExternalFileIngested(db, info);
          });
    }
  }
}

}  // namespace tamis
