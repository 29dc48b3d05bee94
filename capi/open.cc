// SPDX-License-Identifier: Apache-2.0
//
// Databases and column families: open, create, list, drop, destroy.
#include <cstdlib>
#include <cstring>

#include "tamis/utilities/db_ttl.h"
#include "tamis/utilities/options_util.h"

#include "capi/call.h"
#include "capi/open_families.h"
#include "capi/types.h"

namespace tamis::capi {

void EnvThreads::Set(int EnvThreads::*number, int n) {
  std::lock_guard<std::mutex> lock(mutex_);
  set_ = true;
  this->*number = n;
  runner_.reset();
}

int EnvThreads::Get(const int EnvThreads::*number) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return this->*number;
}

std::shared_ptr<JobRunner> EnvThreads::Runner() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!set_) return nullptr;
  std::shared_ptr<JobRunner> runner = runner_.lock();
  if (runner == nullptr) {
    runner = NewThreadJobRunner(
        static_cast<size_t>(high_),
        static_cast<size_t>(low_) + static_cast<size_t>(bottom_));
    runner_ = runner;
  }
  return runner;
}

Options OptionsToOpen(const tamis_options_t& options) {
  Options result = options.rep;
  if (options.threads != nullptr && result.job_runner == nullptr) {
    result.job_runner = options.threads->Runner();
  }
  return result;
}

namespace {

// Makes the wrapper before the open, so that nothing can fail after it.
template <typename Call>
tamis_t* Opened(char** errptr, Call&& open) {
  std::unique_ptr<tamis_t> db;
  const bool ok = Try(errptr, [&] {
    db = std::make_unique<tamis_t>();
    std::unique_ptr<DB> rep;
    Status status = open(&rep);
    db->rep = rep.release();
    return status;
  });
  return ok ? db.release() : nullptr;
}

// Opens with families, by `open`.
template <typename Call>
tamis_t* OpenedWithFamilies(int count, const char* const* names,
                            const tamis_options_t* const* options,
                            tamis_column_family_handle_t** handles,
                            char** errptr, Call&& open) {
  return WithFamilies(count, names, options, handles,
                      [&](const auto& families, const auto& take) {
                        return Opened(errptr, [&](std::unique_ptr<DB>* rep) {
                          std::vector<ColumnFamilyHandle*> reps;
                          Status status = open(families(), &reps, rep);
                          take(reps);
                          return status;
                        });
                      });
}

char** CopyOfNames(const std::vector<std::string>& names) {
  char** list = PointerArray<char>(names.size());
  for (size_t i = 0; i < names.size(); ++i) list[i] = CopyOf(names[i]);
  return list;
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_t* tamis_open(const tamis_options_t* options, const char* name,
                    char** errptr) {
  return Opened(errptr, [&](std::unique_ptr<DB>* db) {
    return DB::Open(OptionsToOpen(*options), name, db);
  });
}

tamis_t* tamis_open_for_read_only(const tamis_options_t* options,
                                  const char* name,
                                  unsigned char error_if_wal_file_exists,
                                  char** errptr) {
  return Opened(errptr, [&](std::unique_ptr<DB>* db) {
    return DB::OpenForReadOnly(OptionsToOpen(*options), name, db,
                               error_if_wal_file_exists != 0);
  });
}

tamis_t* tamis_open_column_families(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr) {
  return OpenedWithFamilies(
      num_column_families, column_family_names, column_family_options,
      column_family_handles, errptr,
      [&](const auto& families, auto* handles, auto* db) {
        return DB::Open(OptionsToOpen(*options), name, families, handles, db);
      });
}

tamis_t* tamis_open_for_read_only_column_families(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles,
    unsigned char error_if_wal_file_exists, char** errptr) {
  return OpenedWithFamilies(
      num_column_families, column_family_names, column_family_options,
      column_family_handles, errptr,
      [&](const auto& families, auto* handles, auto* db) {
        return DB::OpenForReadOnly(OptionsToOpen(*options), name, families,
                                   handles, db, error_if_wal_file_exists != 0);
      });
}

tamis_t* tamis_open_as_secondary(const tamis_options_t* options,
                                 const char* name, const char* secondary_path,
                                 char** errptr) {
  return Opened(errptr, [&](std::unique_ptr<DB>* db) {
    return DB::OpenAsSecondary(OptionsToOpen(*options), name, secondary_path,
                               db);
  });
}

tamis_t* tamis_open_as_secondary_column_families(
    const tamis_options_t* options, const char* name,
    const char* secondary_path, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, char** errptr) {
  return OpenedWithFamilies(
      num_column_families, column_family_names, column_family_options,
      column_family_handles, errptr,
      [&](const auto& families, auto* handles, auto* db) {
        return DB::OpenAsSecondary(OptionsToOpen(*options), name,
                                   secondary_path, families, handles, db);
      });
}

void tamis_try_catch_up_with_primary(tamis_t* db, char** errptr) {
  Try(errptr, [&] { return db->rep->TryCatchUpWithPrimary(); });
}

tamis_t* tamis_open_with_ttl(const tamis_options_t* options, const char* name,
                             int ttl, char** errptr) {
  return Opened(errptr, [&](std::unique_ptr<DB>* db) {
    DBWithTTL* opened = nullptr;
    Status status =
        DBWithTTL::Open(OptionsToOpen(*options), name, &opened, ttl);
    db->reset(opened);
    return status;
  });
}

tamis_t* tamis_open_column_families_with_ttl(
    const tamis_options_t* options, const char* name, int num_column_families,
    const char* const* column_family_names,
    const tamis_options_t* const* column_family_options,
    tamis_column_family_handle_t** column_family_handles, const int* ttls,
    char** errptr) {
  return OpenedWithFamilies(
      num_column_families, column_family_names, column_family_options,
      column_family_handles, errptr,
      [&](const auto& families, auto* handles, auto* db) {
        DBWithTTL* opened = nullptr;
        Status status =
            DBWithTTL::Open(OptionsToOpen(*options), name, families, handles,
                            &opened, {ttls, ttls + num_column_families});
        db->reset(opened);
        return status;
      });
}

void tamis_close(tamis_t* db) {
  if (db == nullptr) return;
  delete db->rep;
  delete db;
}

void tamis_destroy_db(const tamis_options_t* options, const char* name,
                      char** errptr) {
  Try(errptr, [&] { return DestroyDB(name, OptionsToOpen(*options)); });
}

void tamis_repair_db(const tamis_options_t* options, const char* name,
                     char** errptr) {
  Try(errptr, [&] { return RepairDB(name, OptionsToOpen(*options)); });
}

void tamis_load_latest_options(
    const char* db_path, tamis_env_t* env, bool ignore_unknown_options,
    tamis_cache_t* cache, tamis_options_t** db_options,
    size_t* num_column_families, char*** column_family_names,
    tamis_options_t*** column_family_options, char** errptr) {
  *db_options = nullptr;
  *num_column_families = 0;
  *column_family_names = nullptr;
  *column_family_options = nullptr;
  Try(errptr, [&] {
    ConfigOptions config;
    config.ignore_unknown_options = ignore_unknown_options;
    if (env != nullptr) config.file_system = env->file_system;
    auto loaded = std::make_unique<tamis_options_t>();
    std::vector<ColumnFamilyDescriptor> families;
    const Status status =
        LoadLatestOptions(config, db_path, &loaded->rep, &families,
                          cache == nullptr ? nullptr : &cache->rep);
    if (!status.ok()) return status;
    if (env != nullptr) {
      loaded->rep.file_system = env->file_system;
      loaded->threads = env->threads;
    }
    Must([&] {
      *num_column_families = families.size();
      *column_family_options = PointerArray<tamis_options_t>(families.size());
      std::vector<std::string> names;
      for (size_t i = 0; i < families.size(); ++i) {
        names.push_back(families[i].name);
        (*column_family_options)[i] = new tamis_options_t{
            Options(DBOptions(), families[i].options), nullptr};
      }
      *column_family_names = CopyOfNames(names);
      *db_options = loaded.release();
    });
    return status;
  });
}

void tamis_load_latest_options_destroy(
    tamis_options_t* db_options, char** list_column_family_names,
    tamis_options_t** list_column_family_options, size_t len) {
  delete db_options;
  for (size_t i = 0; i < len; ++i) {
    if (list_column_family_names != nullptr) {
      std::free(list_column_family_names[i]);
    }
    if (list_column_family_options != nullptr) {
      delete list_column_family_options[i];
    }
  }
  std::free(list_column_family_names);
  std::free(list_column_family_options);
}

char* tamis_get_db_identity(tamis_t* db, size_t* id_len) {
  return Must([&]() -> char* {
    std::string identity;
    if (!db->rep->GetDbIdentity(&identity).ok()) return nullptr;
    *id_len = identity.size();
    return CopyOf(identity);
  });
}

uint64_t tamis_get_latest_sequence_number(tamis_t* db) {
  return db->rep->GetLatestSequenceNumber();
}

char** tamis_list_column_families(const tamis_options_t* options,
                                  const char* name, size_t* lencf,
                                  char** errptr) {
  char** list = nullptr;
  *lencf = 0;
  Try(errptr, [&] {
    std::vector<std::string> names;
    Status status =
        DB::ListColumnFamilies(OptionsToOpen(*options), name, &names);
    if (status.ok()) {
      list = CopyOfNames(names);
      *lencf = names.size();
    }
    return status;
  });
  return list;
}

void tamis_list_column_families_destroy(char** list, size_t len) {
  for (size_t i = 0; i < len; ++i) std::free(list[i]);
  std::free(list);
}

tamis_column_family_handle_t* tamis_create_column_family(
    tamis_t* db, const tamis_options_t* column_family_options,
    const char* column_family_name, char** errptr) {
  std::unique_ptr<tamis_column_family_handle_t> handle;
  const bool ok = Try(errptr, [&] {
    handle = std::make_unique<tamis_column_family_handle_t>();
    handle->owned = true;
    return db->rep->CreateColumnFamily(column_family_options->rep,
                                       column_family_name, &handle->rep);
  });
  return ok ? handle.release() : nullptr;
}

tamis_column_family_handle_t* tamis_create_column_family_with_ttl(
    tamis_t* db, const tamis_options_t* column_family_options,
    const char* column_family_name, int ttl, char** errptr) {
  std::unique_ptr<tamis_column_family_handle_t> handle;
  const bool ok = Try(errptr, [&] {
    handle = std::make_unique<tamis_column_family_handle_t>();
    handle->owned = true;
    auto* const with_ttl = dynamic_cast<DBWithTTL*>(db->rep);
    if (with_ttl == nullptr) {
      return Status::InvalidArgument(
          "create_column_family_with_ttl",
          "the database was not opened with a time to live");
    }
    return with_ttl->CreateColumnFamilyWithTtl(
        column_family_options->rep, column_family_name, &handle->rep, ttl);
  });
  return ok ? handle.release() : nullptr;
}

tamis_column_family_handle_t** tamis_create_column_families(
    tamis_t* db, const tamis_options_t* column_family_options,
    int num_column_families, const char* const* column_family_names,
    size_t* lencfs, char** errptr) {
  tamis_column_family_handle_t** list = nullptr;
  *lencfs = 0;
  Try(errptr, [&] {
    list = PointerArray<tamis_column_family_handle_t>(
        static_cast<size_t>(num_column_families));
    for (int i = 0; i < num_column_families; ++i) {
      auto handle = std::make_unique<tamis_column_family_handle_t>();
      handle->owned = true;
      Status status = db->rep->CreateColumnFamily(
          column_family_options->rep, column_family_names[i], &handle->rep);
      if (!status.ok()) return status;
      list[(*lencfs)++] = handle.release();
    }
    return Status::OK();
  });
  return list;
}

void tamis_create_column_families_destroy(tamis_column_family_handle_t** list) {
  std::free(list);
}

void tamis_drop_column_family(tamis_t* db, tamis_column_family_handle_t* handle,
                              char** errptr) {
  Try(errptr, [&] { return db->rep->DropColumnFamily(handle->rep); });
}

tamis_column_family_handle_t* tamis_get_default_column_family_handle(
    tamis_t* db) {
  return Create<tamis_column_family_handle_t>(db->rep->DefaultColumnFamily(),
                                              false);
}

void tamis_column_family_handle_destroy(tamis_column_family_handle_t* handle) {
  if (handle == nullptr) return;
  if (handle->owned) delete handle->rep;
  delete handle;
}

uint32_t tamis_column_family_handle_get_id(
    tamis_column_family_handle_t* handle) {
  return handle->rep->GetID();
}

char* tamis_column_family_handle_get_name(tamis_column_family_handle_t* handle,
                                          size_t* name_len) {
  *name_len = handle->rep->GetName().size();
  return CopyOf(handle->rep->GetName());
}
