// SPDX-License-Identifier: Apache-2.0
//
// Lists of files: a database's tables, and the levels of a family.
#include "tamis/metadata.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_column_family_metadata_t {
  tamis::ColumnFamilyMetaData rep;
};
// Points into that of the family.
struct tamis_level_metadata_t {
  const tamis::LevelMetaData* rep;
};
struct tamis_sst_file_metadata_t {
  const tamis::SstFileMetaData* rep;
};

namespace tamis::capi {
namespace {

const LiveFileMetaData& FileAt(const tamis_livefiles_t* files, int index) {
  return files->rep[static_cast<size_t>(index)];
}

char* CopyWithLength(const std::string& bytes, size_t* length) {
  *length = bytes.size();
  return CopyOf(bytes);
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

const tamis_livefiles_t* tamis_livefiles(tamis_t* db) {
  return Must([&] {
    auto files = std::make_unique<tamis_livefiles_t>();
    db->rep->GetLiveFilesMetaData(&files->rep);
    return files.release();
  });
}

int tamis_livefiles_count(const tamis_livefiles_t* files) {
  return static_cast<int>(files->rep.size());
}

const char* tamis_livefiles_column_family_name(const tamis_livefiles_t* files,
                                               int index) {
  return FileAt(files, index).column_family_name.c_str();
}

const char* tamis_livefiles_name(const tamis_livefiles_t* files, int index) {
  return FileAt(files, index).name.c_str();
}

const char* tamis_livefiles_directory(const tamis_livefiles_t* files,
                                      int index) {
  return FileAt(files, index).directory.c_str();
}

int tamis_livefiles_level(const tamis_livefiles_t* files, int index) {
  return FileAt(files, index).level;
}

size_t tamis_livefiles_size(const tamis_livefiles_t* files, int index) {
  return FileAt(files, index).size;
}

const char* tamis_livefiles_smallestkey(const tamis_livefiles_t* files,
                                        int index, size_t* size) {
  return Lend(FileAt(files, index).smallestkey, size);
}

const char* tamis_livefiles_largestkey(const tamis_livefiles_t* files,
                                       int index, size_t* size) {
  return Lend(FileAt(files, index).largestkey, size);
}

uint64_t tamis_livefiles_smallest_seqno(const tamis_livefiles_t* files,
                                        int index) {
  return FileAt(files, index).smallest_seqno;
}

uint64_t tamis_livefiles_largest_seqno(const tamis_livefiles_t* files,
                                       int index) {
  return FileAt(files, index).largest_seqno;
}

uint64_t tamis_livefiles_entries(const tamis_livefiles_t* files, int index) {
  return FileAt(files, index).num_entries;
}

uint64_t tamis_livefiles_deletions(const tamis_livefiles_t* files, int index) {
  return FileAt(files, index).num_deletions;
}

void tamis_livefiles_destroy(const tamis_livefiles_t* files) { delete files; }

tamis_column_family_metadata_t* tamis_get_column_family_metadata(tamis_t* db) {
  return Must([&] {
    auto metadata = std::make_unique<tamis_column_family_metadata_t>();
    db->rep->GetColumnFamilyMetaData(&metadata->rep);
    return metadata.release();
  });
}

tamis_column_family_metadata_t* tamis_get_column_family_metadata_cf(
    tamis_t* db, tamis_column_family_handle_t* column_family) {
  return Must([&] {
    auto metadata = std::make_unique<tamis_column_family_metadata_t>();
    db->rep->GetColumnFamilyMetaData(column_family->rep, &metadata->rep);
    return metadata.release();
  });
}

void tamis_column_family_metadata_destroy(
    tamis_column_family_metadata_t* cf_meta) {
  delete cf_meta;
}

uint64_t tamis_column_family_metadata_get_size(
    tamis_column_family_metadata_t* cf_meta) {
  return cf_meta->rep.size;
}

size_t tamis_column_family_metadata_get_file_count(
    tamis_column_family_metadata_t* cf_meta) {
  return cf_meta->rep.file_count;
}

char* tamis_column_family_metadata_get_name(
    tamis_column_family_metadata_t* cf_meta) {
  return CopyOf(cf_meta->rep.name);
}

size_t tamis_column_family_metadata_get_level_count(
    tamis_column_family_metadata_t* cf_meta) {
  return cf_meta->rep.levels.size();
}

tamis_level_metadata_t* tamis_column_family_metadata_get_level_metadata(
    tamis_column_family_metadata_t* cf_meta, size_t i) {
  if (i >= cf_meta->rep.levels.size()) return nullptr;
  return Create<tamis_level_metadata_t>(&cf_meta->rep.levels[i]);
}

void tamis_level_metadata_destroy(tamis_level_metadata_t* level_meta) {
  delete level_meta;
}

int tamis_level_metadata_get_level(tamis_level_metadata_t* level_meta) {
  return level_meta->rep->level;
}

uint64_t tamis_level_metadata_get_size(tamis_level_metadata_t* level_meta) {
  return level_meta->rep->size;
}

size_t tamis_level_metadata_get_file_count(tamis_level_metadata_t* level_meta) {
  return level_meta->rep->files.size();
}

tamis_sst_file_metadata_t* tamis_level_metadata_get_sst_file_metadata(
    tamis_level_metadata_t* level_meta, size_t i) {
  if (i >= level_meta->rep->files.size()) return nullptr;
  return Create<tamis_sst_file_metadata_t>(&level_meta->rep->files[i]);
}

void tamis_sst_file_metadata_destroy(tamis_sst_file_metadata_t* file_meta) {
  delete file_meta;
}

char* tamis_sst_file_metadata_get_relative_filename(
    tamis_sst_file_metadata_t* file_meta) {
  return CopyOf(file_meta->rep->relative_filename);
}

char* tamis_sst_file_metadata_get_directory(
    tamis_sst_file_metadata_t* file_meta) {
  return CopyOf(file_meta->rep->directory);
}

uint64_t tamis_sst_file_metadata_get_size(
    tamis_sst_file_metadata_t* file_meta) {
  return file_meta->rep->size;
}

char* tamis_sst_file_metadata_get_smallestkey(
    tamis_sst_file_metadata_t* file_meta, size_t* len) {
  return CopyWithLength(file_meta->rep->smallestkey, len);
}

char* tamis_sst_file_metadata_get_largestkey(
    tamis_sst_file_metadata_t* file_meta, size_t* len) {
  return CopyWithLength(file_meta->rep->largestkey, len);
}
