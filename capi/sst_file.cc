// SPDX-License-Identifier: Apache-2.0
//
// Tables that a program writes, and their ingestion.
#include "tamis/sst_file_writer.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_envoptions_t {
  tamis::EnvOptions rep;
};
struct tamis_sstfilewriter_t {
  tamis::SstFileWriter rep;
};

namespace tamis::capi {
namespace {

std::vector<std::string> PathsOf(const char* const* list, size_t count) {
  return {list, list + count};
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_envoptions_t* tamis_envoptions_create(void) {
  return Create<tamis_envoptions_t>();
}

void tamis_envoptions_destroy(tamis_envoptions_t* opt) { delete opt; }

tamis_sstfilewriter_t* tamis_sstfilewriter_create(
    const tamis_envoptions_t* env, const tamis_options_t* io_options) {
  return Must([&] {
    return new tamis_sstfilewriter_t{SstFileWriter(env->rep, io_options->rep)};
  });
}

tamis_sstfilewriter_t* tamis_sstfilewriter_create_with_comparator(
    const tamis_envoptions_t* env, const tamis_options_t* io_options,
    const tamis_comparator_t* /*comparator*/) {
  return tamis_sstfilewriter_create(env, io_options);
}

void tamis_sstfilewriter_open(tamis_sstfilewriter_t* writer, const char* name,
                              char** errptr) {
  Try(errptr, [&] { return writer->rep.Open(name); });
}

void tamis_sstfilewriter_add(tamis_sstfilewriter_t* writer, const char* key,
                             size_t keylen, const char* val, size_t vallen,
                             char** errptr) {
  tamis_sstfilewriter_put(writer, key, keylen, val, vallen, errptr);
}

void tamis_sstfilewriter_put(tamis_sstfilewriter_t* writer, const char* key,
                             size_t keylen, const char* val, size_t vallen,
                             char** errptr) {
  Try(errptr,
      [&] { return writer->rep.Put(Slice(key, keylen), Slice(val, vallen)); });
}

void tamis_sstfilewriter_merge(tamis_sstfilewriter_t* writer, const char* key,
                               size_t keylen, const char* val, size_t vallen,
                               char** errptr) {
  Try(errptr, [&] {
    return writer->rep.Merge(Slice(key, keylen), Slice(val, vallen));
  });
}

void tamis_sstfilewriter_delete(tamis_sstfilewriter_t* writer, const char* key,
                                size_t keylen, char** errptr) {
  Try(errptr, [&] { return writer->rep.Delete(Slice(key, keylen)); });
}

void tamis_sstfilewriter_singledelete(tamis_sstfilewriter_t* writer,
                                      const char* key, size_t keylen,
                                      char** errptr) {
  Try(errptr, [&] { return writer->rep.SingleDelete(Slice(key, keylen)); });
}

void tamis_sstfilewriter_delete_range(tamis_sstfilewriter_t* writer,
                                      const char* begin_key,
                                      size_t begin_keylen, const char* end_key,
                                      size_t end_keylen, char** errptr) {
  Try(errptr, [&] {
    return writer->rep.DeleteRange(Slice(begin_key, begin_keylen),
                                   Slice(end_key, end_keylen));
  });
}

void tamis_sstfilewriter_finish(tamis_sstfilewriter_t* writer, char** errptr) {
  Try(errptr, [&] { return writer->rep.Finish(); });
}

void tamis_sstfilewriter_file_size(tamis_sstfilewriter_t* writer,
                                   uint64_t* file_size) {
  *file_size = writer->rep.FileSize();
}

void tamis_sstfilewriter_destroy(tamis_sstfilewriter_t* writer) {
  delete writer;
}

void tamis_ingest_external_file(tamis_t* db, const char* const* file_list,
                                const size_t list_len,
                                const tamis_ingestexternalfileoptions_t* opt,
                                char** errptr) {
  Try(errptr, [&] {
    return db->rep->IngestExternalFile(PathsOf(file_list, list_len), opt->rep);
  });
}

void tamis_ingest_external_file_cf(tamis_t* db,
                                   tamis_column_family_handle_t* handle,
                                   const char* const* file_list,
                                   const size_t list_len,
                                   const tamis_ingestexternalfileoptions_t* opt,
                                   char** errptr) {
  Try(errptr, [&] {
    return db->rep->IngestExternalFile(handle->rep,
                                       PathsOf(file_list, list_len), opt->rep);
  });
}
