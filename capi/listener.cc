// SPDX-License-Identifier: Apache-2.0
//
// Event listeners whose functions are C's, and what they are told.
#include "tamis/listener.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_flushjobinfo_t {
  const tamis::FlushJobInfo& rep;
};
struct tamis_compactionjobinfo_t {
  const tamis::CompactionJobInfo& rep;
};
struct tamis_externalfileingestioninfo_t {
  const tamis::ExternalFileIngestionInfo& rep;
};
// RocksDB's number of a condition.
struct tamis_writestallcondition_t {
  uint32_t rep;
};
struct tamis_writestallinfo_t {
  const tamis::WriteStallInfo& rep;
  tamis_writestallcondition_t cur;
  tamis_writestallcondition_t prev;
};
struct tamis_memtableinfo_t {
  const tamis::MemTableInfo& rep;
};
struct tamis_status_ptr_t {
  const tamis::Status* rep;
};

namespace tamis::capi {
namespace {

tamis_writestallcondition_t ConditionOf(WriteStallCondition condition) {
  switch (condition) {
    case WriteStallCondition::kDelayed:
      return {0};
    case WriteStallCondition::kStopped:
      return {1};
    case WriteStallCondition::kNormal:
      break;
  }
  return {2};
}

}  // namespace

// The functions; each may be nullptr.
struct ListenerFunctions {
  tamis_on_flush_begin_cb flush_begin;
  tamis_on_flush_completed_cb flush_completed;
  tamis_on_compaction_begin_cb compaction_begin;
  tamis_on_compaction_completed_cb compaction_completed;
  tamis_on_external_file_ingested_cb external_file_ingested;
  tamis_on_background_error_cb background_error;
  tamis_on_stall_conditions_changed_cb stall_conditions_changed;
  tamis_on_memtable_sealed_cb memtable_sealed;
};

}  // namespace tamis::capi

struct tamis_eventlistener_t final : public tamis::EventListener {
  tamis_eventlistener_t(void* state, void (*destructor)(void*),
                        const tamis::capi::ListenerFunctions& functions)
      : state_(state, destructor), on_(functions) {}

  const char* Name() const override { return "C"; }

  void OnFlushBegin(tamis::DB* db, const tamis::FlushJobInfo& info) override {
    Tell(on_.flush_begin, db, tamis_flushjobinfo_t{info});
  }
  void OnFlushCompleted(tamis::DB* db,
                        const tamis::FlushJobInfo& info) override {
    Tell(on_.flush_completed, db, tamis_flushjobinfo_t{info});
  }
  void OnCompactionBegin(tamis::DB* db,
                         const tamis::CompactionJobInfo& info) override {
    Tell(on_.compaction_begin, db, tamis_compactionjobinfo_t{info});
  }
  void OnCompactionCompleted(tamis::DB* db,
                             const tamis::CompactionJobInfo& info) override {
    Tell(on_.compaction_completed, db, tamis_compactionjobinfo_t{info});
  }
  void OnExternalFileIngested(
      tamis::DB* db, const tamis::ExternalFileIngestionInfo& info) override {
    Tell(on_.external_file_ingested, db,
         tamis_externalfileingestioninfo_t{info});
  }
  void OnBackgroundError(tamis::BackgroundErrorReason reason,
                         tamis::Status* bg_error) override {
    if (on_.background_error == nullptr) return;
    tamis_status_ptr_t lent{bg_error};
    on_.background_error(state_.get(), static_cast<uint32_t>(reason), &lent);
  }
  void OnStallConditionsChanged(const tamis::WriteStallInfo& info) override {
    if (on_.stall_conditions_changed == nullptr) return;
    const tamis_writestallinfo_t lent{
        info, tamis::capi::ConditionOf(info.condition.cur),
        tamis::capi::ConditionOf(info.condition.prev)};
    on_.stall_conditions_changed(state_.get(), &lent);
  }
  void OnMemTableSealed(const tamis::MemTableInfo& info) override {
    if (on_.memtable_sealed == nullptr) return;
    const tamis_memtableinfo_t lent{info};
    on_.memtable_sealed(state_.get(), &lent);
  }

 private:
  template <typename Function, typename Info>
  void Tell(Function function, tamis::DB* db, const Info& info) {
    if (function == nullptr) return;
    tamis_t lent{db};
    function(state_.get(), &lent, &info);
  }

  const tamis::capi::StateOwner state_;
  const tamis::capi::ListenerFunctions on_;
};

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_eventlistener_t* tamis_eventlistener_create(
    void* state, void (*destructor)(void*),
    tamis_on_flush_begin_cb on_flush_begin,
    tamis_on_flush_completed_cb on_flush_completed,
    tamis_on_compaction_begin_cb on_compaction_begin,
    tamis_on_compaction_completed_cb on_compaction_completed,
    tamis_on_subcompaction_begin_cb /*on_subcompaction_begin*/,
    tamis_on_subcompaction_completed_cb /*on_subcompaction_completed*/,
    tamis_on_external_file_ingested_cb on_external_file_ingested,
    tamis_on_background_error_cb on_background_error,
    tamis_on_stall_conditions_changed_cb on_stall_conditions_changed,
    tamis_on_memtable_sealed_cb on_memtable_sealed) {
  return Must([&] {
    return new tamis_eventlistener_t(
        state, destructor,
        {on_flush_begin, on_flush_completed, on_compaction_begin,
         on_compaction_completed, on_external_file_ingested,
         on_background_error, on_stall_conditions_changed, on_memtable_sealed});
  });
}

void tamis_eventlistener_destroy(tamis_eventlistener_t* listener) {
  delete listener;
}

void tamis_options_add_eventlistener(tamis_options_t* opt,
                                     tamis_eventlistener_t* listener) {
  Must([&] { opt->rep.listeners.emplace_back(listener); });
}

// <type> tamis_<group>_<name>(const tamis_<group>_t*), for a number; a text has
// its length as a second argument.
#define INFO_NUMBER(group, type, name, field)                  \
  type tamis_##group##_##name(const tamis_##group##_t* info) { \
    return static_cast<type>(info->rep.field);                 \
  }
#define INFO_TEXT(group, name, field)                               \
  const char* tamis_##group##_##name(const tamis_##group##_t* info, \
                                     size_t* size) {                \
    return Lend(info->rep.field, size);                             \
  }

INFO_TEXT(flushjobinfo, cf_name, cf_name)
INFO_TEXT(flushjobinfo, file_path, file_path)
INFO_NUMBER(flushjobinfo, unsigned char, triggered_writes_slowdown,
            triggered_writes_slowdown)
INFO_NUMBER(flushjobinfo, unsigned char, triggered_writes_stop,
            triggered_writes_stop)
INFO_NUMBER(flushjobinfo, uint64_t, largest_seqno, largest_seqno)
INFO_NUMBER(flushjobinfo, uint64_t, smallest_seqno, smallest_seqno)
INFO_NUMBER(flushjobinfo, uint32_t, flush_reason, flush_reason)

INFO_TEXT(compactionjobinfo, cf_name, cf_name)
INFO_NUMBER(compactionjobinfo, size_t, input_files_count, input_files.size())
INFO_NUMBER(compactionjobinfo, size_t, output_files_count, output_files.size())
INFO_NUMBER(compactionjobinfo, int, base_input_level, base_input_level)
INFO_NUMBER(compactionjobinfo, int, output_level, output_level)
INFO_NUMBER(compactionjobinfo, uint64_t, input_records, stats.num_input_records)
INFO_NUMBER(compactionjobinfo, uint64_t, output_records,
            stats.num_output_records)
INFO_NUMBER(compactionjobinfo, uint64_t, total_input_bytes,
            stats.total_input_bytes)
INFO_NUMBER(compactionjobinfo, uint64_t, total_output_bytes,
            stats.total_output_bytes)
INFO_NUMBER(compactionjobinfo, uint32_t, compaction_reason, compaction_reason)

INFO_TEXT(externalfileingestioninfo, cf_name, cf_name)
INFO_TEXT(externalfileingestioninfo, internal_file_path, internal_file_path)

INFO_TEXT(writestallinfo, cf_name, cf_name)

INFO_TEXT(memtableinfo, cf_name, cf_name)
INFO_NUMBER(memtableinfo, uint64_t, earliest_seqno, earliest_seqno)
INFO_NUMBER(memtableinfo, uint64_t, num_deletes, num_deletes)
INFO_NUMBER(memtableinfo, uint64_t, num_entries, num_entries)

#undef INFO_NUMBER
#undef INFO_TEXT

void tamis_compactionjobinfo_status(const tamis_compactionjobinfo_t* info,
                                    char** errptr) {
  Report(errptr, info->rep.status);
}

const char* tamis_compactionjobinfo_input_file_at(
    const tamis_compactionjobinfo_t* info, size_t pos, size_t* size) {
  return Lend(info->rep.input_files[pos], size);
}

const char* tamis_compactionjobinfo_output_file_at(
    const tamis_compactionjobinfo_t* info, size_t pos, size_t* size) {
  return Lend(info->rep.output_files[pos], size);
}

const tamis_writestallcondition_t* tamis_writestallinfo_cur(
    const tamis_writestallinfo_t* info) {
  return &info->cur;
}

const tamis_writestallcondition_t* tamis_writestallinfo_prev(
    const tamis_writestallinfo_t* info) {
  return &info->prev;
}

void tamis_status_ptr_get_error(tamis_status_ptr_t* status, char** errptr) {
  Report(errptr, *status->rep);
}
