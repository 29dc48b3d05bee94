// SPDX-License-Identifier: Apache-2.0
//
// Options of calls: reads, writes, flushes, compactions, waits, ingestion.
#include <utility>

#include "capi/call.h"
#include "capi/option_fields.h"
#include "capi/types.h"

struct tamis_table_properties_t {
  const tamis::TableProperties* rep;
};

#define READ_FIELD(set, get, name, field) \
  TAMIS_C_FIELD(readoptions, tamis_readoptions_t, set, get, name, field)

READ_FIELD(unsigned char, unsigned char, prefix_same_as_start,
           prefix_same_as_start)
READ_FIELD(unsigned char, unsigned char, total_order_seek, total_order_seek)
READ_FIELD(unsigned char, unsigned char, auto_prefix_mode, auto_prefix_mode)
READ_FIELD(unsigned char, unsigned char, verify_checksums, verify_checksums)
READ_FIELD(int, int, rate_limiter_priority, rate_limiter_priority)
READ_FIELD(unsigned char, unsigned char, fill_cache, fill_cache)
READ_FIELD(int, int, read_tier, read_tier)
READ_FIELD(uint64_t, uint64_t, deadline, deadline)
READ_FIELD(uint64_t, uint64_t, io_timeout, io_timeout)
READ_FIELD(uint64_t, uint64_t, value_size_soft_limit, value_size_soft_limit)
READ_FIELD(uint64_t, uint64_t, max_skippable_internal_keys,
           max_skippable_internal_keys)
READ_FIELD(unsigned char, unsigned char, tailing, tailing)
READ_FIELD(unsigned char, unsigned char, pin_data, pin_data)
READ_FIELD(unsigned char, unsigned char, managed, managed)
READ_FIELD(unsigned char, unsigned char, ignore_range_deletions,
           ignore_range_deletions)
READ_FIELD(unsigned char, unsigned char, background_purge_on_iterator_cleanup,
           background_purge_on_iterator_cleanup)
READ_FIELD(size_t, size_t, readahead_size, readahead_size)
READ_FIELD(unsigned char, unsigned char, async_io, async_io)

#undef READ_FIELD

#define WRITE_FIELD(set, get, name, field) \
  TAMIS_C_FIELD(writeoptions, tamis_writeoptions_t, set, get, name, field)

WRITE_FIELD(unsigned char, unsigned char, sync, sync)
WRITE_FIELD(unsigned char, unsigned char, ignore_missing_column_families,
            ignore_missing_column_families)
WRITE_FIELD(unsigned char, unsigned char, no_slowdown, no_slowdown)
WRITE_FIELD(unsigned char, unsigned char, low_pri, low_pri)
WRITE_FIELD(unsigned char, unsigned char, memtable_insert_hint_per_batch,
            memtable_insert_hint_per_batch)
WRITE_FIELD(int, int, rate_limiter_priority, rate_limiter_priority)

#undef WRITE_FIELD

#define COMPACT_FIELD(set, get, name, field) \
  TAMIS_C_FIELD(compactoptions, tamis_compactoptions_t, set, get, name, field)

COMPACT_FIELD(unsigned char, unsigned char, exclusive_manual_compaction,
              exclusive_manual_compaction)
COMPACT_FIELD(unsigned char, unsigned char, change_level, change_level)
COMPACT_FIELD(int, int, target_level, target_level)
COMPACT_FIELD(unsigned char, unsigned char, bottommost_level_compaction,
              bottommost_level_compaction)
COMPACT_FIELD(unsigned char, unsigned char, allow_write_stall,
              allow_write_stall)
COMPACT_FIELD(uint32_t, uint32_t, max_subcompactions, max_subcompactions)

#undef COMPACT_FIELD

#define INGEST_FIELD(set, get, name, field)                                   \
  TAMIS_C_FIELD(ingestexternalfileoptions, tamis_ingestexternalfileoptions_t, \
                set, get, name, field)

INGEST_FIELD(unsigned char, unsigned char, move_files, move_files)
INGEST_FIELD(unsigned char, unsigned char, ingest_behind, ingest_behind)
INGEST_FIELD(unsigned char, unsigned char, link_files, link_files)
INGEST_FIELD(unsigned char, unsigned char, failed_move_fall_back_to_copy,
             failed_move_fall_back_to_copy)
INGEST_FIELD(unsigned char, unsigned char, snapshot_consistency,
             snapshot_consistency)
INGEST_FIELD(unsigned char, unsigned char, allow_global_seqno,
             allow_global_seqno)
INGEST_FIELD(unsigned char, unsigned char, allow_blocking_flush,
             allow_blocking_flush)
INGEST_FIELD(unsigned char, unsigned char, verify_checksums_before_ingest,
             verify_checksums_before_ingest)
INGEST_FIELD(unsigned char, unsigned char, fail_if_not_bottommost_level,
             fail_if_not_bottommost_level)
INGEST_FIELD(unsigned char, unsigned char, verify_file_checksum,
             verify_file_checksum)

#undef INGEST_FIELD

TAMIS_C_FIELD(flushoptions, tamis_flushoptions_t, unsigned char, unsigned char,
              wait, wait)
TAMIS_C_FIELD(flushoptions, tamis_flushoptions_t, unsigned char, unsigned char,
              allow_write_stall, allow_write_stall)

#define WAIT_FIELD(set, get, name)                                          \
  TAMIS_C_FIELD(wait_for_compact_options, tamis_wait_for_compact_options_t, \
                set, get, name, name)

WAIT_FIELD(unsigned char, unsigned char, abort_on_pause)
WAIT_FIELD(unsigned char, unsigned char, flush)
WAIT_FIELD(unsigned char, unsigned char, close_db)
WAIT_FIELD(uint64_t, uint64_t, timeout)

#undef WAIT_FIELD

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_readoptions_t* tamis_readoptions_create(void) {
  return Create<tamis_readoptions_t>();
}

void tamis_readoptions_destroy(tamis_readoptions_t* opt) { delete opt; }

void tamis_readoptions_set_snapshot(tamis_readoptions_t* opt,
                                    const tamis_snapshot_t* snap) {
  opt->rep.snapshot = snap == nullptr ? nullptr : snap->rep;
}

void tamis_readoptions_set_iterate_upper_bound(tamis_readoptions_t* opt,
                                               const char* key, size_t keylen) {
  opt->upper_bound = key == nullptr ? Slice() : Slice(key, keylen);
  opt->rep.iterate_upper_bound = key == nullptr ? nullptr : &opt->upper_bound;
}

void tamis_readoptions_set_iterate_lower_bound(tamis_readoptions_t* opt,
                                               const char* key, size_t keylen) {
  opt->lower_bound = key == nullptr ? Slice() : Slice(key, keylen);
  opt->rep.iterate_lower_bound = key == nullptr ? nullptr : &opt->lower_bound;
}

void tamis_readoptions_set_table_filter(
    tamis_readoptions_t* opt, void* state,
    unsigned char (*table_filter)(void*, const tamis_table_properties_t*),
    void (*destructor)(void*)) {
  Must([&] {
    auto owner = std::make_shared<StateOwner>(state, destructor);
    opt->rep.table_filter = [owner,
                             table_filter](const TableProperties& properties) {
      const tamis_table_properties_t lent{&properties};
      return table_filter(owner->get(), &lent) != 0;
    };
  });
}

uint64_t tamis_table_properties_get_num_entries(
    const tamis_table_properties_t* properties) {
  return properties->rep->num_entries;
}

uint64_t tamis_table_properties_get_num_deletions(
    const tamis_table_properties_t* properties) {
  return properties->rep->num_deletions;
}

uint64_t tamis_table_properties_get_data_size(
    const tamis_table_properties_t* properties) {
  return properties->rep->data_size;
}

uint64_t tamis_table_properties_get_creation_time(
    const tamis_table_properties_t* properties) {
  return properties->rep->creation_time;
}

const char* tamis_table_properties_get_column_family_name(
    const tamis_table_properties_t* properties, size_t* len) {
  return Lend(properties->rep->column_family_name, len);
}

const char* tamis_table_properties_get_user_collected_property(
    const tamis_table_properties_t* properties, const char* name, size_t* len) {
  const auto& all = properties->rep->user_collected_properties;
  const auto found = Must([&] { return all.find(name); });
  *len = 0;
  return found == all.end() ? nullptr : Lend(found->second, len);
}

tamis_writeoptions_t* tamis_writeoptions_create(void) {
  return Create<tamis_writeoptions_t>();
}

void tamis_writeoptions_destroy(tamis_writeoptions_t* opt) { delete opt; }

void tamis_writeoptions_disable_WAL(tamis_writeoptions_t* opt, int disable) {
  opt->rep.disableWAL = disable != 0;
}

unsigned char tamis_writeoptions_get_disable_WAL(tamis_writeoptions_t* opt) {
  return opt->rep.disableWAL ? 1 : 0;
}

tamis_flushoptions_t* tamis_flushoptions_create(void) {
  return Create<tamis_flushoptions_t>();
}

void tamis_flushoptions_destroy(tamis_flushoptions_t* opt) { delete opt; }

tamis_compactoptions_t* tamis_compactoptions_create(void) {
  return Create<tamis_compactoptions_t>();
}

void tamis_compactoptions_destroy(tamis_compactoptions_t* opt) { delete opt; }

tamis_wait_for_compact_options_t* tamis_wait_for_compact_options_create(void) {
  return Create<tamis_wait_for_compact_options_t>();
}

void tamis_wait_for_compact_options_destroy(
    tamis_wait_for_compact_options_t* opt) {
  delete opt;
}

tamis_ingestexternalfileoptions_t* tamis_ingestexternalfileoptions_create(
    void) {
  return Create<tamis_ingestexternalfileoptions_t>();
}

void tamis_ingestexternalfileoptions_destroy(
    tamis_ingestexternalfileoptions_t* opt) {
  delete opt;
}
