// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's C API: databases, iterators, batches.
#include <vector>

#include "facade/leveldb/c_types.h"

namespace {

class CHandler final : public leveldb::WriteBatch::Handler {
 public:
  using OnPut = void (*)(void*, const char*, size_t, const char*, size_t);
  using OnDelete = void (*)(void*, const char*, size_t);
  CHandler(void* state, OnPut put, OnDelete deleted)
      : state_(state), put_(put), deleted_(deleted) {}
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    put_(state_, key.data(), key.size(), value.data(), value.size());
  }
  void Delete(const leveldb::Slice& key) override {
    deleted_(state_, key.data(), key.size());
  }

 private:
  void* const state_;
  const OnPut put_;
  const OnDelete deleted_;
};

// Sets *errptr to the error's text. Returns whether there is one.
bool SaveError(char** errptr, const leveldb::Status& status) {
  if (status.ok()) return false;
  std::free(*errptr);
  *errptr = CopyOf(status.ToString());
  return true;
}

const char* Lend(const leveldb::Slice& bytes, size_t* size) {
  *size = bytes.size();
  return bytes.data();
}

}  // namespace

using leveldb::Slice;

leveldb_t* leveldb_open(const leveldb_options_t* options, const char* name,
                        char** errptr) {
  leveldb::DB* db = nullptr;
  if (SaveError(errptr, leveldb::DB::Open(options->rep, name, &db))) {
    return nullptr;
  }
  return new leveldb_t{db};
}

void leveldb_close(leveldb_t* db) {
  delete db->rep;
  delete db;
}

void leveldb_put(leveldb_t* db, const leveldb_writeoptions_t* options,
                 const char* key, size_t keylen, const char* val, size_t vallen,
                 char** errptr) {
  SaveError(errptr,
            db->rep->Put(options->rep, Slice(key, keylen), Slice(val, vallen)));
}

void leveldb_delete(leveldb_t* db, const leveldb_writeoptions_t* options,
                    const char* key, size_t keylen, char** errptr) {
  SaveError(errptr, db->rep->Delete(options->rep, Slice(key, keylen)));
}

void leveldb_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                   leveldb_writebatch_t* batch, char** errptr) {
  SaveError(errptr, db->rep->Write(options->rep, &batch->rep));
}

char* leveldb_get(leveldb_t* db, const leveldb_readoptions_t* options,
                  const char* key, size_t keylen, size_t* vallen,
                  char** errptr) {
  std::string value;
  const leveldb::Status status =
      db->rep->Get(options->rep, Slice(key, keylen), &value);
  *vallen = 0;
  if (!status.ok()) {
    if (!status.IsNotFound()) SaveError(errptr, status);
    return nullptr;
  }
  *vallen = value.size();
  return CopyOf(value);
}

leveldb_iterator_t* leveldb_create_iterator(
    leveldb_t* db, const leveldb_readoptions_t* options) {
  return new leveldb_iterator_t{db->rep->NewIterator(options->rep)};
}

const leveldb_snapshot_t* leveldb_create_snapshot(leveldb_t* db) {
  return new leveldb_snapshot_t{db->rep->GetSnapshot()};
}

void leveldb_release_snapshot(leveldb_t* db,
                              const leveldb_snapshot_t* snapshot) {
  db->rep->ReleaseSnapshot(snapshot->rep);
  delete snapshot;
}

char* leveldb_property_value(leveldb_t* db, const char* propname) {
  std::string value;
  return db->rep->GetProperty(propname, &value) ? CopyOf(value) : nullptr;
}

void leveldb_approximate_sizes(leveldb_t* db, int num_ranges,
                               const char* const* range_start_key,
                               const size_t* range_start_key_len,
                               const char* const* range_limit_key,
                               const size_t* range_limit_key_len,
                               uint64_t* sizes) {
  std::vector<leveldb::Range> ranges;
  for (int i = 0; i < num_ranges; ++i) {
    ranges.emplace_back(Slice(range_start_key[i], range_start_key_len[i]),
                        Slice(range_limit_key[i], range_limit_key_len[i]));
  }
  db->rep->GetApproximateSizes(ranges.data(), num_ranges, sizes);
}

void leveldb_compact_range(leveldb_t* db, const char* start_key,
                           size_t start_key_len, const char* limit_key,
                           size_t limit_key_len) {
  const Slice start(start_key, start_key != nullptr ? start_key_len : 0);
  const Slice limit(limit_key, limit_key != nullptr ? limit_key_len : 0);
  db->rep->CompactRange(start_key != nullptr ? &start : nullptr,
                        limit_key != nullptr ? &limit : nullptr);
}

void leveldb_destroy_db(const leveldb_options_t* options, const char* name,
                        char** errptr) {
  SaveError(errptr, leveldb::DestroyDB(name, options->rep));
}

void leveldb_repair_db(const leveldb_options_t* options, const char* name,
                       char** errptr) {
  SaveError(errptr, leveldb::RepairDB(name, options->rep));
}

void leveldb_iter_destroy(leveldb_iterator_t* iter) {
  delete iter->rep;
  delete iter;
}

uint8_t leveldb_iter_valid(const leveldb_iterator_t* iter) {
  return iter->rep->Valid() ? 1 : 0;
}

void leveldb_iter_seek_to_first(leveldb_iterator_t* iter) {
  iter->rep->SeekToFirst();
}

void leveldb_iter_seek_to_last(leveldb_iterator_t* iter) {
  iter->rep->SeekToLast();
}

void leveldb_iter_seek(leveldb_iterator_t* iter, const char* k, size_t klen) {
  iter->rep->Seek(Slice(k, klen));
}

void leveldb_iter_next(leveldb_iterator_t* iter) { iter->rep->Next(); }

void leveldb_iter_prev(leveldb_iterator_t* iter) { iter->rep->Prev(); }

const char* leveldb_iter_key(const leveldb_iterator_t* iter, size_t* klen) {
  return Lend(iter->rep->key(), klen);
}

const char* leveldb_iter_value(const leveldb_iterator_t* iter, size_t* vlen) {
  return Lend(iter->rep->value(), vlen);
}

void leveldb_iter_get_error(const leveldb_iterator_t* iter, char** errptr) {
  SaveError(errptr, iter->rep->status());
}

leveldb_writebatch_t* leveldb_writebatch_create(void) {
  return new leveldb_writebatch_t;
}

void leveldb_writebatch_destroy(leveldb_writebatch_t* batch) { delete batch; }

void leveldb_writebatch_clear(leveldb_writebatch_t* batch) {
  batch->rep.Clear();
}

void leveldb_writebatch_put(leveldb_writebatch_t* batch, const char* key,
                            size_t klen, const char* val, size_t vlen) {
  batch->rep.Put(Slice(key, klen), Slice(val, vlen));
}

void leveldb_writebatch_delete(leveldb_writebatch_t* batch, const char* key,
                               size_t klen) {
  batch->rep.Delete(Slice(key, klen));
}

void leveldb_writebatch_iterate(const leveldb_writebatch_t* batch, void* state,
                                void (*put)(void*, const char* k, size_t klen,
                                            const char* v, size_t vlen),
                                void (*deleted)(void*, const char* k,
                                                size_t klen)) {
  CHandler handler(state, put, deleted);
  batch->rep.Iterate(&handler);
}

void leveldb_writebatch_append(leveldb_writebatch_t* destination,
                               const leveldb_writebatch_t* source) {
  destination->rep.Append(source->rep);
}

leveldb_readoptions_t* leveldb_readoptions_create(void) {
  return new leveldb_readoptions_t;
}

void leveldb_readoptions_destroy(leveldb_readoptions_t* options) {
  delete options;
}

void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t* options,
                                              uint8_t v) {
  options->rep.verify_checksums = v != 0;
}

void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t* options,
                                        uint8_t v) {
  options->rep.fill_cache = v != 0;
}

void leveldb_readoptions_set_snapshot(leveldb_readoptions_t* options,
                                      const leveldb_snapshot_t* snapshot) {
  options->rep.snapshot = snapshot == nullptr ? nullptr : snapshot->rep;
}

leveldb_writeoptions_t* leveldb_writeoptions_create(void) {
  return new leveldb_writeoptions_t;
}

void leveldb_writeoptions_destroy(leveldb_writeoptions_t* options) {
  delete options;
}

void leveldb_writeoptions_set_sync(leveldb_writeoptions_t* options, uint8_t v) {
  options->rep.sync = v != 0;
}
