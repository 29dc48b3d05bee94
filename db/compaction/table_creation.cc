// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/table_creation.h"

#include <utility>

namespace tamis {

namespace {

void TellCreated(const DBContext& context, TableFileCreationInfo info) {
  context.listeners->Post(
      [info = std::move(info)](EventListener* listener, DB*) {
        listener->OnTableFileCreated(info);
      });
}

}  // namespace

TableCreation::TableCreation(const DBContext& context,
                             TableFileCreationBriefInfo info)
    : context_(context), info_(std::move(info)) {
  if (context_.listeners == nullptr) return;
  context_.listeners->Post([brief = info_](EventListener* listener, DB*) {
    listener->OnTableFileCreationStarted(brief);
  });
}

TableCreation::~TableCreation() {
  if (context_.listeners == nullptr || completed_) return;
  IgnoreExceptions([this] {
    TableFileCreationInfo info;
    static_cast<TableFileCreationBriefInfo&>(info) = info_;
    info.status = Status::Aborted(info_.file_path,
                                  "the job that made the table has failed");
    TellCreated(context_, std::move(info));
  });
}

void TableCreation::Complete(uint64_t file_size, const FileChecksum& checksum,
                             const TableProperties& properties) {
  completed_ = true;
  if (context_.listeners == nullptr) return;
  TableFileCreationInfo info;
  static_cast<TableFileCreationBriefInfo&>(info) = info_;
  info.file_size = file_size;
  info.file_checksum = checksum.value;
  info.file_checksum_func_name = checksum.function;
  info.table_properties = properties;
  TellCreated(context_, std::move(info));
}

}  // namespace tamis
