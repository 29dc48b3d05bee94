// SPDX-License-Identifier: Apache-2.0
//
// Flush, compaction, background work, and options of an open database.
#include <cstdlib>
#include <unordered_map>

#include "tamis/convenience.h"

#include "capi/call.h"
#include "capi/types.h"

namespace tamis::capi {
namespace {

// An end of a range of keys: open where C gives NULL.
class RangeEnd {
 public:
  RangeEnd(const char* key, size_t length)
      : open_(key == nullptr), key_(key, open_ ? 0 : length) {}
  const Slice* get() const { return open_ ? nullptr : &key_; }

 private:
  const bool open_;
  const Slice key_;
};

// Compacts a range. RocksDB's function has no errptr: LOG has the error.
void Compact(tamis_t* db, ColumnFamilyHandle* family,
             const CompactRangeOptions& options, const RangeEnd& start,
             const RangeEnd& limit) {
  Must([&] {
    db->rep->CompactRange(options, family, start.get(), limit.get())
        .PermitUncheckedError();
  });
}

std::unordered_map<std::string, std::string> MapOf(int count,
                                                   const char* const keys[],
                                                   const char* const values[]) {
  std::unordered_map<std::string, std::string> map;
  for (int i = 0; i < count; ++i) map[keys[i]] = values[i];
  return map;
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

void tamis_flush(tamis_t* db, const tamis_flushoptions_t* options,
                 char** errptr) {
  Try(errptr, [&] { return db->rep->Flush(options->rep); });
}

void tamis_flush_cf(tamis_t* db, const tamis_flushoptions_t* options,
                    tamis_column_family_handle_t* column_family,
                    char** errptr) {
  Try(errptr, [&] { return db->rep->Flush(options->rep, column_family->rep); });
}

void tamis_flush_cfs(tamis_t* db, const tamis_flushoptions_t* options,
                     tamis_column_family_handle_t** column_families,
                     int num_column_families, char** errptr) {
  Try(errptr, [&] {
    std::vector<ColumnFamilyHandle*> families;
    for (int i = 0; i < num_column_families; ++i) {
      families.push_back(column_families[i]->rep);
    }
    return db->rep->Flush(options->rep, families);
  });
}

void tamis_flush_wal(tamis_t* db, unsigned char sync, char** errptr) {
  Try(errptr, [&] { return db->rep->FlushWAL(sync != 0); });
}

void tamis_compact_range(tamis_t* db, const char* start_key,
                         size_t start_key_len, const char* limit_key,
                         size_t limit_key_len) {
  Compact(db, FamilyOf(db, nullptr), CompactRangeOptions(),
          RangeEnd(start_key, start_key_len),
          RangeEnd(limit_key, limit_key_len));
}

void tamis_compact_range_cf(tamis_t* db,
                            tamis_column_family_handle_t* column_family,
                            const char* start_key, size_t start_key_len,
                            const char* limit_key, size_t limit_key_len) {
  Compact(db, column_family->rep, CompactRangeOptions(),
          RangeEnd(start_key, start_key_len),
          RangeEnd(limit_key, limit_key_len));
}

void tamis_compact_range_opt(tamis_t* db, tamis_compactoptions_t* opt,
                             const char* start_key, size_t start_key_len,
                             const char* limit_key, size_t limit_key_len) {
  Compact(db, FamilyOf(db, nullptr), opt->rep,
          RangeEnd(start_key, start_key_len),
          RangeEnd(limit_key, limit_key_len));
}

void tamis_compact_range_cf_opt(tamis_t* db,
                                tamis_column_family_handle_t* column_family,
                                tamis_compactoptions_t* opt,
                                const char* start_key, size_t start_key_len,
                                const char* limit_key, size_t limit_key_len) {
  Compact(db, column_family->rep, opt->rep, RangeEnd(start_key, start_key_len),
          RangeEnd(limit_key, limit_key_len));
}

void tamis_suggest_compact_range(tamis_t* db, const char* start_key,
                                 size_t start_key_len, const char* limit_key,
                                 size_t limit_key_len, char** errptr) {
  const RangeEnd start(start_key, start_key_len);
  const RangeEnd limit(limit_key, limit_key_len);
  Try(errptr, [&] {
    return db->rep->SuggestCompactRange(FamilyOf(db, nullptr), start.get(),
                                        limit.get());
  });
}

void tamis_suggest_compact_range_cf(tamis_t* db,
                                    tamis_column_family_handle_t* column_family,
                                    const char* start_key, size_t start_key_len,
                                    const char* limit_key, size_t limit_key_len,
                                    char** errptr) {
  const RangeEnd start(start_key, start_key_len);
  const RangeEnd limit(limit_key, limit_key_len);
  Try(errptr, [&] {
    return db->rep->SuggestCompactRange(column_family->rep, start.get(),
                                        limit.get());
  });
}

void tamis_wait_for_compact(tamis_t* db,
                            tamis_wait_for_compact_options_t* options,
                            char** errptr) {
  Try(errptr, [&] { return db->rep->WaitForCompact(options->rep); });
}

void tamis_disable_manual_compaction(tamis_t* db) {
  Must([&] { db->rep->DisableManualCompaction(); });
}

void tamis_enable_manual_compaction(tamis_t* db) {
  Must([&] { db->rep->EnableManualCompaction(); });
}

void tamis_cancel_all_background_work(tamis_t* db, unsigned char wait) {
  Must([&] { CancelAllBackgroundWork(db->rep, wait != 0); });
}

void tamis_pause_background_work(tamis_t* db, char** errptr) {
  Try(errptr, [&] { return db->rep->PauseBackgroundWork(); });
}

void tamis_continue_background_work(tamis_t* db, char** errptr) {
  Try(errptr, [&] { return db->rep->ContinueBackgroundWork(); });
}

void tamis_resume(tamis_t* db, char** errptr) {
  Try(errptr, [&] { return db->rep->Resume(); });
}

void tamis_rewrite_filters(tamis_t* db,
                           tamis_column_family_handle_t* column_family,
                           double size_factor, unsigned char wait,
                           char** errptr) {
  Try(errptr, [&] {
    RewriteFiltersOptions options;
    options.size_factor = size_factor;
    options.wait = wait != 0;
    return db->rep->RewriteFilters(options, FamilyOf(db, column_family),
                                   nullptr, nullptr);
  });
}

void tamis_set_options(tamis_t* db, int count, const char* const keys[],
                       const char* const values[], char** errptr) {
  Try(errptr, [&] { return db->rep->SetOptions(MapOf(count, keys, values)); });
}

void tamis_set_options_cf(tamis_t* db, tamis_column_family_handle_t* handle,
                          int count, const char* const keys[],
                          const char* const values[], char** errptr) {
  Try(errptr, [&] {
    return db->rep->SetOptions(handle->rep, MapOf(count, keys, values));
  });
}

void tamis_set_db_options(tamis_t* db, int count, const char* const keys[],
                          const char* const values[], char** errptr) {
  Try(errptr,
      [&] { return db->rep->SetDBOptions(MapOf(count, keys, values)); });
}

void tamis_delete_file(tamis_t* db, const char* name) {
  char* ignored = nullptr;
  Try(&ignored, [&] { return db->rep->DeleteFile(name); });
  std::free(ignored);
}

void tamis_delete_file_in_range(tamis_t* db, const char* start_key,
                                size_t start_key_len, const char* limit_key,
                                size_t limit_key_len, char** errptr) {
  const RangeEnd start(start_key, start_key_len);
  const RangeEnd limit(limit_key, limit_key_len);
  Try(errptr, [&] {
    return DeleteFilesInRange(db->rep, FamilyOf(db, nullptr), start.get(),
                              limit.get());
  });
}

void tamis_delete_file_in_range_cf(tamis_t* db,
                                   tamis_column_family_handle_t* column_family,
                                   const char* start_key, size_t start_key_len,
                                   const char* limit_key, size_t limit_key_len,
                                   char** errptr) {
  const RangeEnd start(start_key, start_key_len);
  const RangeEnd limit(limit_key, limit_key_len);
  Try(errptr, [&] {
    return DeleteFilesInRange(db->rep, column_family->rep, start.get(),
                              limit.get());
  });
}

void tamis_disable_file_deletions(tamis_t* db, char** errptr) {
  Try(errptr, [&] { return db->rep->DisableFileDeletions(); });
}

void tamis_enable_file_deletions(tamis_t* db, unsigned char force,
                                 char** errptr) {
  Try(errptr, [&] {
    Status status = db->rep->EnableFileDeletions();
    if (force == 0) return status;
    while (status.ok()) status = db->rep->EnableFileDeletions();
    return status.IsInvalidArgument() ? Status::OK() : status;
  });
}

void tamis_verify_checksum(tamis_t* db, char** errptr) {
  Try(errptr, [&] { return db->rep->VerifyChecksum(); });
}
