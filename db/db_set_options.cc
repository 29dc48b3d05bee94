// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that change options while the
// database is open. A change is made under the mutex. Those who read options
// without it have their own reference: jobs in TableJob::options, readers in
// ReadState::options.
#include <algorithm>
#include <type_traits>

#include "db/base/db_options.h"
#include "db/db_impl.h"
#include "db/options/option_fields.h"
#include "db/options/option_parser.h"
#include "db/options/table_options_of.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

ConfigOptions LiveOptionsOnly() {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.input_strings_escaped = false;
  config.mutable_options_only = true;
  return config;
}

// Applies the map in an order that does not depend on it.
template <typename Struct>
Status ApplyMap(const std::unordered_map<std::string, std::string>& map,
                Struct* options) {
  if (map.empty()) return Status::InvalidArgument("no option is given");
  OptionPairs pairs(map.begin(), map.end());
  std::sort(pairs.begin(), pairs.end());
  return ApplyOptions(LiveOptionsOnly(), pairs, options);
}

void AddTableChanges(const TableFactory& before, const TableFactory& after,
                     EventLog::Line* line);

// Adds the options whose text differs, with the new one. Those of tables are
// named table_factory.block_size.
template <typename Struct>
void AddChanges(const Struct& before, const Struct& after,
                const std::string& prefix, EventLog::Line* line) {
  for (const OptionField<Struct>& field : OptionTableOf<Struct>().fields) {
    if (!field.has_text()) continue;
    if constexpr (std::is_same_v<Struct, ColumnFamilyOptions>) {
      if (field.name == "table_factory") {
        AddTableChanges(*before.table_factory, *after.table_factory, line);
        continue;
      }
    }
    const std::string text = field.print(after);
    if (text == field.print(before)) continue;
    line->Add((prefix + std::string(field.name)).c_str(), Slice(text));
  }
}

// REQUIRES: of the same format.
void AddTableChanges(const TableFactory& before, const TableFactory& after,
                     EventLog::Line* line) {
  VisitTableOptions(after, [&](const auto& changed) {
    using Options = std::remove_cvref_t<decltype(changed)>;
    if (const Options* const old = before.GetOptions<Options>()) {
      AddChanges(*old, changed, "table_factory.", line);
    }
  });
}

// Returns whether an open database can change from one to the other.
Status CheckLiveChange(const DBOptions& before, const DBOptions& changed) {
  if ((before.max_open_files == -1) != (changed.max_open_files == -1)) {
    return Status::InvalidArgument(
        "max_open_files",
        "can be set to another limit, but from or to -1, no limit, only when "
        "the database is opened");
  }
  return Status::OK();
}

}  // namespace

Status DBImpl::SetOptions(ColumnFamilyHandle* handle,
                          const OptionMap& options) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  const ColumnFamilyPtr family = FamilyOf(handle);
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  if (family->dropped()) {
    return Status::ColumnFamilyDropped(Printable(family->name()));
  }
  ColumnFamilyOptions changed = family->options();
  TAMIS_RETURN_IF_ERROR(ApplyMap(options, &changed));
  TAMIS_RETURN_IF_ERROR(CheckFamilyOptions(changed));
  // max_write_buffer_number limits it, now as it did in Open.
  changed.min_write_buffer_number_to_merge =
      family->fixed_options().min_write_buffer_number_to_merge;
  const FamilyOptionsPtr before = family->options_ptr();
  family->SetOptions(CompleteOptions(changed));
  IgnoreExceptions([&] {
    EventLog::Line line = context_.event_log->Event("options_changed");
    line.Add("family", Slice(family->name()));
    AddChanges(*before, *family->options_ptr(), "", &line);
  });
  LogFamilyOptions(context_.event_log.get(), family->name(), changed);
  write_path_.UpdateLogLimit();
  OptionsWereChanged();
  return Status::OK();
}

Status DBImpl::SetDBOptions(const OptionMap& options) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  DBOptions before;
  DBOptions changed;
  {
    MutexLock lock(&mutex_);
    TAMIS_RETURN_IF_ERROR(CheckOpen());
    before = GetDBOptions();
    changed = before;
    TAMIS_RETURN_IF_ERROR(ApplyMap(options, &changed));
    TAMIS_RETURN_IF_ERROR(CheckDBOptions(changed));
    TAMIS_RETURN_IF_ERROR(CheckLiveChange(before, changed));
    // With the shared runner, gives it the threads.
    if (context_.shared_runner) CompleteOptions(changed);
    context_.live_options.Set(changed);
    if (context_.open_tables != nullptr) {
      context_.open_tables->limit = static_cast<size_t>(changed.max_open_files);
    }
    IgnoreExceptions([&] {
      EventLog::Line line = context_.event_log->Event("db_options_changed");
      AddChanges(before, changed, "", &line);
    });
    OptionsWereChanged();
  }
  // These wait for what may need the mutex.
  if (context_.open_tables != nullptr) {
    TableCache::CloseBeyondLimit(context_.open_tables.get());
  }
  if (changed.stats_dump_period_sec != before.stats_dump_period_sec) {
    stats_dump_.BeginAnew();
  }
  return Status::OK();
}

// More may be due now, and a stall be over.
void DBImpl::OptionsWereChanged() {
  scheduler_.MaybeSchedule();
  scheduler_.changed().notify_all();
  StoreOptions(OptionsChange::kValues).PermitUncheckedError();
}

}  // namespace tamis
