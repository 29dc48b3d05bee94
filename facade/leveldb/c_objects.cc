// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's C API: options, and the objects that they take.
#include <vector>

#include "facade/leveldb/c_types.h"

namespace {

// Calls the program's functions.
class CComparator final : public leveldb::Comparator {
 public:
  using Compare3 = int (*)(void*, const char*, size_t, const char*, size_t);
  CComparator(void* state, void (*destructor)(void*), Compare3 compare,
              const char* (*name)(void*))
      : state_(state),
        destructor_(destructor),
        compare_(compare),
        name_(name) {}
  ~CComparator() override { destructor_(state_); }

  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return compare_(state_, a.data(), a.size(), b.data(), b.size());
  }
  const char* Name() const override { return name_(state_); }
  // No shorter keys.
  void FindShortestSeparator(std::string* /*start*/,
                             const leveldb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  void* const state_;
  void (*const destructor_)(void*);
  const Compare3 compare_;
  const char* (*const name_)(void*);
};

class CFilterPolicy final : public leveldb::FilterPolicy {
 public:
  using Create = char* (*)(void*, const char* const*, const size_t*, int,
                           size_t*);
  using Match = uint8_t (*)(void*, const char*, size_t, const char*, size_t);
  CFilterPolicy(void* state, void (*destructor)(void*), Create create,
                Match match, const char* (*name)(void*))
      : state_(state),
        destructor_(destructor),
        create_(create),
        match_(match),
        name_(name) {}
  ~CFilterPolicy() override { destructor_(state_); }

  const char* Name() const override { return name_(state_); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    std::vector<const char*> data;
    std::vector<size_t> sizes;
    for (int i = 0; i < n; ++i) {
      data.push_back(keys[i].data());
      sizes.push_back(keys[i].size());
    }
    size_t size = 0;
    char* const filter = create_(state_, data.data(), sizes.data(), n, &size);
    dst->append(filter, size);
    std::free(filter);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    return match_(state_, key.data(), key.size(), filter.data(),
                  filter.size()) != 0;
  }

 private:
  void* const state_;
  void (*const destructor_)(void*);
  const Create create_;
  const Match match_;
  const char* (*const name_)(void*);
};

}  // namespace

leveldb_options_t* leveldb_options_create(void) {
  return new leveldb_options_t;
}

void leveldb_options_destroy(leveldb_options_t* options) { delete options; }

void leveldb_options_set_comparator(leveldb_options_t* options,
                                    leveldb_comparator_t* comparator) {
  options->rep.comparator =
      comparator == nullptr ? nullptr : comparator->rep.get();
}

void leveldb_options_set_filter_policy(leveldb_options_t* options,
                                       leveldb_filterpolicy_t* policy) {
  options->rep.filter_policy = policy == nullptr ? nullptr : policy->rep.get();
}

void leveldb_options_set_create_if_missing(leveldb_options_t* options,
                                           uint8_t v) {
  options->rep.create_if_missing = v != 0;
}

void leveldb_options_set_error_if_exists(leveldb_options_t* options,
                                         uint8_t v) {
  options->rep.error_if_exists = v != 0;
}

void leveldb_options_set_paranoid_checks(leveldb_options_t* options,
                                         uint8_t v) {
  options->rep.paranoid_checks = v != 0;
}

void leveldb_options_set_env(leveldb_options_t* options, leveldb_env_t* env) {
  options->rep.env = env == nullptr ? nullptr : env->rep;
}

void leveldb_options_set_info_log(leveldb_options_t* options,
                                  leveldb_logger_t* logger) {
  options->rep.info_log = logger == nullptr ? nullptr : logger->rep;
}

void leveldb_options_set_write_buffer_size(leveldb_options_t* options,
                                           size_t s) {
  options->rep.write_buffer_size = s;
}

void leveldb_options_set_max_open_files(leveldb_options_t* options, int n) {
  options->rep.max_open_files = n;
}

void leveldb_options_set_cache(leveldb_options_t* options,
                               leveldb_cache_t* cache) {
  options->rep.block_cache = cache == nullptr ? nullptr : cache->rep;
}

void leveldb_options_set_block_size(leveldb_options_t* options, size_t s) {
  options->rep.block_size = s;
}

void leveldb_options_set_block_restart_interval(leveldb_options_t* options,
                                                int n) {
  options->rep.block_restart_interval = n;
}

void leveldb_options_set_max_file_size(leveldb_options_t* options, size_t s) {
  options->rep.max_file_size = s;
}

void leveldb_options_set_compression(leveldb_options_t* options, int t) {
  options->rep.compression = static_cast<leveldb::CompressionType>(t);
}

leveldb_comparator_t* leveldb_comparator_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b,
                   size_t blen),
    const char* (*name)(void*)) {
  return new leveldb_comparator_t{
      std::make_unique<CComparator>(state, destructor, compare, name)};
}

void leveldb_comparator_destroy(leveldb_comparator_t* comparator) {
  delete comparator;
}

leveldb_filterpolicy_t* leveldb_filterpolicy_create(
    void* state, void (*destructor)(void*),
    char* (*create_filter)(void*, const char* const* key_array,
                           const size_t* key_length_array, int num_keys,
                           size_t* filter_length),
    uint8_t (*key_may_match)(void*, const char* key, size_t length,
                             const char* filter, size_t filter_length),
    const char* (*name)(void*)) {
  return new leveldb_filterpolicy_t{std::make_unique<CFilterPolicy>(
      state, destructor, create_filter, key_may_match, name)};
}

void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t* policy) {
  delete policy;
}

leveldb_filterpolicy_t* leveldb_filterpolicy_create_bloom(int bits_per_key) {
  return new leveldb_filterpolicy_t{
      std::unique_ptr<const leveldb::FilterPolicy>(
          leveldb::NewBloomFilterPolicy(bits_per_key))};
}

leveldb_cache_t* leveldb_cache_create_lru(size_t capacity) {
  return new leveldb_cache_t{leveldb::NewLRUCache(capacity)};
}

void leveldb_cache_destroy(leveldb_cache_t* cache) {
  delete cache->rep;
  delete cache;
}

leveldb_env_t* leveldb_create_default_env(void) {
  return new leveldb_env_t{leveldb::Env::Default()};
}

void leveldb_env_destroy(leveldb_env_t* env) { delete env; }

char* leveldb_env_get_test_directory(leveldb_env_t* env) {
  std::string path;
  return env->rep->GetTestDirectory(&path).ok() ? CopyOf(path) : nullptr;
}

void leveldb_free(void* ptr) { std::free(ptr); }

int leveldb_major_version(void) { return leveldb::kMajorVersion; }

int leveldb_minor_version(void) { return leveldb::kMinorVersion; }
