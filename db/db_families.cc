// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that create and drop column
// families, and their handles.
#include <algorithm>
#include <utility>

#include "db/base/db_options.h"
#include "db/db_impl.h"
#include "util/coding/printable.h"

namespace tamis {

ColumnFamilyHandleImpl::~ColumnFamilyHandleImpl() {
  if (!family_.owner().IsCurrent()) return;
  db_->TellDeletionOf(this);
  if (!family()->dropped()) return;
  family_->reset();
  db_->PurgeAfterRead();
}

void DBImpl::TellDeletionOf(ColumnFamilyHandle* handle) noexcept {
  if (context_.listeners == nullptr) return;
  context_.listeners->CallNow([handle](EventListener* listener, DB*) {
    listener->OnColumnFamilyHandleDeletionStarted(handle);
  });
}

const ColumnFamilyPtr& DBImpl::FamilyOf(
    const ColumnFamilyHandle* handle) const {
  return handle == nullptr
             ? versions_.families().default_family_ptr()
             : static_cast<const ColumnFamilyHandleImpl*>(handle)->family();
}

ColumnFamilyPtr DBImpl::ShareFamilyOf(const ColumnFamilyHandle* handle) const {
  return handle == nullptr ? versions_.families().default_family_ptr()
                           : static_cast<const ColumnFamilyHandleImpl*>(handle)
                                 ->ShareFamily();
}

DBImpl::Families DBImpl::FamiliesOf(
    const std::vector<ColumnFamilyHandle*>& handles) const {
  Families families;
  for (const ColumnFamilyHandle* handle : handles) {
    families.push_back(FamilyOf(handle));
  }
  return families;
}

ColumnFamilyHandle* DBImpl::NewHandle(const std::string& family_name) {
  ColumnFamilyPtr family = versions_.families().Find(family_name);
  return family != nullptr ? new ColumnFamilyHandleImpl(this, std::move(family))
                           : nullptr;
}

ColumnFamilyHandle* DBImpl::NewHandle(FamilyId id) {
  const ColumnFamilySet::ViewPtr view = versions_.families().view();
  const ColumnFamilyPtr* const family = ColumnFamilySet::FindPtr(*view, id);
  return family != nullptr ? new ColumnFamilyHandleImpl(this, *family)
                           : nullptr;
}

Status DBImpl::CheckFamilyIdLeft() const {
  if (versions_.families().max_id() < kFamilyIdMax) return Status::OK();
  return Status::NotSupported(
      context_.directory,
      "no more column families: the MANIFEST says that all ids up to 2^32-1 "
      "have been used");
}

// REQUIRES: the caller leads the write queue, or is the only thread.
Status DBImpl::AddFamily(const ColumnFamilyDescriptor& descriptor) {
  TAMIS_RETURN_IF_ERROR(CheckFamilyIdLeft());
  const ColumnFamilyOptions options = CompleteOptions(
      WithDatabaseDefaults(descriptor.options, context_.options));
  auto family = std::make_shared<ColumnFamily>(
      context_, versions_.families().max_id().Next(), descriptor.name, options);
  family->set_log_number(wal_.number());
  family->SwitchMemTable(
      family->NewMemTable(write_path_.last_allocated() + 1, wal_.number()));
  const Status status = versions_.AddFamily(family);
  context_.event_log->Event("family_created")
      .Add("family", Slice(descriptor.name))
      .Add("id", family->id().value())
      .Add("status", status);
  LogFamilyOptions(context_.event_log.get(), descriptor.name,
                   WithDatabaseDefaults(descriptor.options, context_.options));
  if (status.ok()) write_path_.FamiliesChanged();
  return status;
}

Status DBImpl::CreateColumnFamily(const ColumnFamilyOptions& options,
                                  const std::string& family_name,
                                  ColumnFamilyHandle** handle) {
  *handle = nullptr;
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  TAMIS_RETURN_IF_ERROR(
      CheckFamilyOptions(WithDatabaseDefaults(options, context_.options)));
  TAMIS_RETURN_IF_ERROR(UseTableDirectoriesOf({family_name, options}));
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  ColumnFamilyPtr family;
  TAMIS_RETURN_IF_ERROR(CreateFamilyLed(options, family_name, &family));
  // Writes go on. Another thread may drop the family.
  StoreOptions(OptionsChange::kFamilies).PermitUncheckedError();
  *handle = new ColumnFamilyHandleImpl(this, std::move(family));
  return Status::OK();
}

Status DBImpl::CreateFamilyLed(const ColumnFamilyOptions& options,
                               const std::string& family_name,
                               ColumnFamilyPtr* family) {
  WriteBarrier barrier(&write_path_.queue(), context_.runner());
  TAMIS_RETURN_IF_ERROR(CheckOpen());  // Close may have led before
  TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDueForEdit());
  if (versions_.families().Find(family_name) != nullptr) {
    return Status::InvalidArgument("Column family already exists",
                                   Printable(family_name));
  }
  TAMIS_RETURN_IF_ERROR(CheckFamilyIdLeft());
  const Status status = AddFamily({family_name, options});
  if (!status.ok()) {
    errors_.Set("create_family", status);
    return status;
  }
  *family = versions_.families().Find(family_name);
  return status;
}

Status DBImpl::DropColumnFamily(ColumnFamilyHandle* handle) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  if (family->id() == kDefaultFamilyId) {
    return Status::InvalidArgument("Can't drop default column family");
  }
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  TAMIS_RETURN_IF_ERROR(DropFamilyLed(family));
  StoreOptions(OptionsChange::kFamilies)
      .PermitUncheckedError();  // writes go on
  return Status::OK();
}

Status DBImpl::DropFamilyLed(const ColumnFamilyPtr& family) {
  WriteBarrier barrier(&write_path_.queue(), context_.runner());
  TAMIS_RETURN_IF_ERROR(CheckOpen());  // Close may have led before
  TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDueForEdit());
  if (family->dropped()) {
    return Status::InvalidArgument("Column family already dropped!",
                                   Printable(family->name()));
  }
  const Status status = versions_.DropFamily(family);
  context_.event_log->Event("family_dropped")
      .Add("family", Slice(family->name()))
      .Add("id", family->id().value())
      .Add("status", status);
  if (!status.ok()) {
    errors_.Set("drop_family", status);
    return status;
  }
  write_path_.FamiliesChanged();
  ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
    obsolete_.AddTable(file);
  });
  scheduler_.MaybeSchedule();
  scheduler_.changed().notify_all();
  return status;
}

Status DBImpl::DestroyColumnFamilyHandle(ColumnFamilyHandle* handle) {
  if (handle == default_handle_.get()) {
    return Status::InvalidArgument(
        "Cannot destroy the handle returned by DefaultColumnFamily()");
  }
  delete handle;
  return Status::OK();
}

}  // namespace tamis
