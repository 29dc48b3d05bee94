// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints, and families that are exported and imported.
#include "tamis/utilities/checkpoint.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_checkpoint_t {
  std::unique_ptr<tamis::Checkpoint> rep;
};
struct tamis_export_import_files_metadata_t {
  std::unique_ptr<tamis::ExportImportFilesMetaData> rep;
};

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_checkpoint_t* tamis_checkpoint_object_create(tamis_t* db, char** errptr) {
  std::unique_ptr<tamis_checkpoint_t> checkpoint;
  const bool ok = Try(errptr, [&] {
    checkpoint = std::make_unique<tamis_checkpoint_t>();
    return Checkpoint::Create(db->rep, &checkpoint->rep);
  });
  return ok ? checkpoint.release() : nullptr;
}

void tamis_checkpoint_create(tamis_checkpoint_t* checkpoint,
                             const char* checkpoint_dir,
                             uint64_t log_size_for_flush, char** errptr) {
  Try(errptr, [&] {
    return checkpoint->rep->CreateCheckpoint(checkpoint_dir,
                                             log_size_for_flush);
  });
}

tamis_export_import_files_metadata_t* tamis_checkpoint_export_column_family(
    tamis_checkpoint_t* checkpoint, tamis_column_family_handle_t* column_family,
    const char* export_dir, char** errptr) {
  std::unique_ptr<tamis_export_import_files_metadata_t> metadata;
  const bool ok = Try(errptr, [&] {
    metadata = std::make_unique<tamis_export_import_files_metadata_t>();
    ExportImportFilesMetaData* rep = nullptr;
    Status status = checkpoint->rep->ExportColumnFamily(column_family->rep,
                                                        export_dir, &rep);
    metadata->rep.reset(rep);
    return status;
  });
  return ok ? metadata.release() : nullptr;
}

void tamis_checkpoint_object_destroy(tamis_checkpoint_t* checkpoint) {
  delete checkpoint;
}

tamis_column_family_handle_t* tamis_create_column_family_with_import(
    tamis_t* db, tamis_options_t* column_family_options,
    const char* column_family_name,
    tamis_import_column_family_options_t* import_options,
    tamis_export_import_files_metadata_t* metadata, char** errptr) {
  std::unique_ptr<tamis_column_family_handle_t> handle;
  const bool ok = Try(errptr, [&] {
    handle = std::make_unique<tamis_column_family_handle_t>();
    handle->owned = true;
    return db->rep->CreateColumnFamilyWithImport(
        column_family_options->rep, column_family_name, import_options->rep,
        *metadata->rep, &handle->rep);
  });
  return ok ? handle.release() : nullptr;
}

tamis_import_column_family_options_t* tamis_import_column_family_options_create(
    void) {
  return Create<tamis_import_column_family_options_t>();
}

void tamis_import_column_family_options_set_move_files(
    tamis_import_column_family_options_t* opt, unsigned char v) {
  opt->rep.move_files = v != 0;
}

void tamis_import_column_family_options_destroy(
    tamis_import_column_family_options_t* opt) {
  delete opt;
}

tamis_export_import_files_metadata_t* tamis_export_import_files_metadata_create(
    void) {
  return Must([] {
    return new tamis_export_import_files_metadata_t{
        std::make_unique<ExportImportFilesMetaData>()};
  });
}

char* tamis_export_import_files_metadata_get_db_comparator_name(
    tamis_export_import_files_metadata_t* metadata) {
  return CopyOf(metadata->rep->db_comparator_name);
}

void tamis_export_import_files_metadata_set_db_comparator_name(
    tamis_export_import_files_metadata_t* metadata, const char* name) {
  Must([&] { metadata->rep->db_comparator_name = name; });
}

tamis_livefiles_t* tamis_export_import_files_metadata_get_files(
    tamis_export_import_files_metadata_t* metadata) {
  return Must([&] { return new tamis_livefiles_t{metadata->rep->files}; });
}

void tamis_export_import_files_metadata_set_files(
    tamis_export_import_files_metadata_t* metadata, tamis_livefiles_t* files) {
  Must([&] { metadata->rep->files = files->rep; });
}

void tamis_export_import_files_metadata_destroy(
    tamis_export_import_files_metadata_t* metadata) {
  delete metadata;
}

tamis_livefiles_t* tamis_livefiles_create(void) {
  return Create<tamis_livefiles_t>();
}

void tamis_livefiles_add(tamis_livefiles_t* files, tamis_livefile_t* file) {
  Must([&] { files->rep.push_back(std::move(file->rep)); });
  delete file;
}

tamis_livefile_t* tamis_livefile_create(void) {
  return Create<tamis_livefile_t>();
}

void tamis_livefile_set_column_family_name(tamis_livefile_t* file,
                                           const char* name) {
  Must([&] { file->rep.column_family_name = name; });
}

void tamis_livefile_set_level(tamis_livefile_t* file, int level) {
  file->rep.level = level;
}

void tamis_livefile_set_name(tamis_livefile_t* file, const char* name) {
  Must([&] {
    file->rep.name = name;
    file->rep.relative_filename = name[0] == '/' ? name + 1 : name;
  });
}

void tamis_livefile_set_directory(tamis_livefile_t* file,
                                  const char* directory) {
  Must([&] {
    file->rep.directory = directory;
    file->rep.db_path = directory;
  });
}

void tamis_livefile_set_size(tamis_livefile_t* file, size_t size) {
  file->rep.size = size;
}

void tamis_livefile_set_smallest_key(tamis_livefile_t* file, const char* key,
                                     size_t key_len) {
  Must([&] {
    file->rep.smallestkey.assign(key, key_len);
    file->rep.smallest = file->rep.smallestkey;
  });
}

void tamis_livefile_set_largest_key(tamis_livefile_t* file, const char* key,
                                    size_t key_len) {
  Must([&] {
    file->rep.largestkey.assign(key, key_len);
    file->rep.largest = file->rep.largestkey;
  });
}

void tamis_livefile_set_smallest_seqno(tamis_livefile_t* file, uint64_t seqno) {
  file->rep.smallest_seqno = seqno;
}

void tamis_livefile_set_largest_seqno(tamis_livefile_t* file, uint64_t seqno) {
  file->rep.largest_seqno = seqno;
}

void tamis_livefile_set_num_entries(tamis_livefile_t* file,
                                    uint64_t num_entries) {
  file->rep.num_entries = num_entries;
}

void tamis_livefile_destroy(tamis_livefile_t* file) { delete file; }
