// SPDX-License-Identifier: Apache-2.0
//
// Iterators, snapshots, and the log of updates.
#include "capi/call.h"
#include "capi/types.h"

struct tamis_wal_iterator_t {
  std::unique_ptr<tamis::TransactionLogIterator> rep;
};

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_iterator_t* tamis_create_iterator(tamis_t* db,
                                        const tamis_readoptions_t* options) {
  return Must([&] {
    return new tamis_iterator_t{
        std::unique_ptr<Iterator>(db->rep->NewIterator(options->rep))};
  });
}

tamis_iterator_t* tamis_create_iterator_cf(
    tamis_t* db, const tamis_readoptions_t* options,
    tamis_column_family_handle_t* column_family) {
  return Must([&] {
    return new tamis_iterator_t{std::unique_ptr<Iterator>(
        db->rep->NewIterator(options->rep, column_family->rep))};
  });
}

void tamis_create_iterators(tamis_t* db, tamis_readoptions_t* opts,
                            tamis_column_family_handle_t** column_families,
                            tamis_iterator_t** iterators, size_t size,
                            char** errptr) {
  for (size_t i = 0; i < size; ++i) iterators[i] = nullptr;
  Try(errptr, [&] {
    std::vector<ColumnFamilyHandle*> families;
    for (size_t i = 0; i < size; ++i) {
      families.push_back(column_families[i]->rep);
    }
    std::vector<Iterator*> reps;
    Status status = db->rep->NewIterators(opts->rep, families, &reps);
    if (status.ok()) {
      for (size_t i = 0; i < size; ++i) {
        iterators[i] =
            Create<tamis_iterator_t>(std::unique_ptr<Iterator>(reps[i]));
      }
    }
    return status;
  });
}

void tamis_iter_destroy(tamis_iterator_t* iter) { delete iter; }

unsigned char tamis_iter_valid(const tamis_iterator_t* iter) {
  return iter->rep->Valid() ? 1 : 0;
}

void tamis_iter_seek_to_first(tamis_iterator_t* iter) {
  iter->rep->SeekToFirst();
}

void tamis_iter_seek_to_last(tamis_iterator_t* iter) {
  iter->rep->SeekToLast();
}

void tamis_iter_seek(tamis_iterator_t* iter, const char* k, size_t klen) {
  iter->rep->Seek(Slice(k, klen));
}

void tamis_iter_seek_for_prev(tamis_iterator_t* iter, const char* k,
                              size_t klen) {
  iter->rep->SeekForPrev(Slice(k, klen));
}

void tamis_iter_next(tamis_iterator_t* iter) { iter->rep->Next(); }

void tamis_iter_prev(tamis_iterator_t* iter) { iter->rep->Prev(); }

const char* tamis_iter_key(const tamis_iterator_t* iter, size_t* klen) {
  return Lend(iter->rep->key(), klen);
}

const char* tamis_iter_value(const tamis_iterator_t* iter, size_t* vlen) {
  return Lend(iter->rep->value(), vlen);
}

void tamis_iter_get_error(const tamis_iterator_t* iter, char** errptr) {
  Report(errptr, iter->rep->status());
}

void tamis_iter_refresh(const tamis_iterator_t* iter, char** errptr) {
  Try(errptr, [&] { return iter->rep->Refresh(); });
}

const tamis_snapshot_t* tamis_create_snapshot(tamis_t* db) {
  return Must([&]() -> tamis_snapshot_t* {
    const Snapshot* snapshot = db->rep->GetSnapshot();
    return new tamis_snapshot_t{snapshot};
  });
}

void tamis_release_snapshot(tamis_t* db, const tamis_snapshot_t* snapshot) {
  if (snapshot == nullptr) return;
  db->rep->ReleaseSnapshot(snapshot->rep);
  delete snapshot;
}

uint64_t tamis_snapshot_get_sequence_number(const tamis_snapshot_t* snapshot) {
  return snapshot->rep->GetSequenceNumber();
}

tamis_wal_iterator_t* tamis_get_updates_since(
    tamis_t* db, uint64_t seq_number,
    const tamis_wal_readoptions_t* /*options*/, char** errptr) {
  std::unique_ptr<tamis_wal_iterator_t> iter;
  const bool ok = Try(errptr, [&] {
    iter = std::make_unique<tamis_wal_iterator_t>();
    return db->rep->GetUpdatesSince(seq_number, &iter->rep);
  });
  return ok ? iter.release() : nullptr;
}

void tamis_wal_iter_next(tamis_wal_iterator_t* iter) { iter->rep->Next(); }

unsigned char tamis_wal_iter_valid(const tamis_wal_iterator_t* iter) {
  return iter->rep->Valid() ? 1 : 0;
}

void tamis_wal_iter_status(const tamis_wal_iterator_t* iter, char** errptr) {
  Report(errptr, iter->rep->status());
}

tamis_writebatch_t* tamis_wal_iter_get_batch(const tamis_wal_iterator_t* iter,
                                             uint64_t* seq) {
  return Must([&] {
    BatchResult result = iter->rep->GetBatch();
    if (seq != nullptr) *seq = result.sequence;
    auto batch = std::make_unique<tamis_writebatch_t>();
    if (result.writeBatchPtr != nullptr) {
      batch->rep = std::move(*result.writeBatchPtr);
    }
    return batch.release();
  });
}

void tamis_wal_iter_destroy(const tamis_wal_iterator_t* iter) { delete iter; }
