// SPDX-License-Identifier: Apache-2.0
//
// Compaction filters and their factories whose functions are C's.
#include "tamis/compaction_filter.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_compactionfilter_t final : public tamis::CompactionFilter {
  using FilterFunction = unsigned char (*)(void*, int, const char*, size_t,
                                           const char*, size_t, char**, size_t*,
                                           unsigned char*);

  tamis_compactionfilter_t(void* state, void (*destructor)(void*),
                           FilterFunction filter, const char* (*name)(void*))
      : state_(state, destructor), filter_(filter), name_(name) {}

  const char* Name() const override { return name_(state_.get()); }
  bool IgnoreSnapshots() const override { return ignore_snapshots; }
  bool Filter(int level, const tamis::Slice& key,
              const tamis::Slice& existing_value, std::string* new_value,
              bool* value_changed) const override {
    char* value = nullptr;
    size_t length = 0;
    unsigned char changed = 0;
    const unsigned char remove = filter_(
        state_.get(), level, key.data(), key.size(), existing_value.data(),
        existing_value.size(), &value, &length, &changed);
    if (changed != 0) {
      new_value->assign(value != nullptr ? value : "", length);
      *value_changed = true;
    }
    return remove != 0;
  }

  bool ignore_snapshots = false;

 private:
  const tamis::capi::StateOwner state_;
  const FilterFunction filter_;
  const char* (*const name_)(void*);
};

struct tamis_compactionfiltercontext_t {
  const tamis::CompactionFilter::Context* rep;
};

struct tamis_compactionfilterfactory_t final
    : public tamis::CompactionFilterFactory {
  using CreateFunction =
      tamis_compactionfilter_t* (*)(void*, tamis_compactionfiltercontext_t*);

  tamis_compactionfilterfactory_t(void* state, void (*destructor)(void*),
                                  CreateFunction create,
                                  const char* (*name)(void*))
      : state_(state, destructor), create_(create), name_(name) {}

  const char* Name() const override { return name_(state_.get()); }
  std::unique_ptr<tamis::CompactionFilter> CreateCompactionFilter(
      const tamis::CompactionFilter::Context& context) override {
    tamis_compactionfiltercontext_t lent{&context};
    return std::unique_ptr<tamis::CompactionFilter>(
        create_(state_.get(), &lent));
  }

 private:
  const tamis::capi::StateOwner state_;
  const CreateFunction create_;
  const char* (*const name_)(void*);
};

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_compactionfilter_t* tamis_compactionfilter_create(
    void* state, void (*destructor)(void*),
    unsigned char (*filter)(void*, int level, const char* key,
                            size_t key_length, const char* existing_value,
                            size_t value_length, char** new_value,
                            size_t* new_value_length,
                            unsigned char* value_changed),
    const char* (*name)(void*)) {
  return Must([&] {
    return new tamis_compactionfilter_t(state, destructor, filter, name);
  });
}

void tamis_compactionfilter_set_ignore_snapshots(
    tamis_compactionfilter_t* filter, unsigned char ignore_snapshots) {
  filter->ignore_snapshots = ignore_snapshots != 0;
}

void tamis_compactionfilter_destroy(tamis_compactionfilter_t* filter) {
  delete filter;
}

void tamis_options_set_compaction_filter(tamis_options_t* opt,
                                         tamis_compactionfilter_t* filter) {
  opt->rep.compaction_filter = filter;
}

unsigned char tamis_compactionfiltercontext_is_full_compaction(
    tamis_compactionfiltercontext_t* context) {
  return context->rep->is_full_compaction ? 1 : 0;
}

unsigned char tamis_compactionfiltercontext_is_manual_compaction(
    tamis_compactionfiltercontext_t* context) {
  return context->rep->is_manual_compaction ? 1 : 0;
}

tamis_compactionfilterfactory_t* tamis_compactionfilterfactory_create(
    void* state, void (*destructor)(void*),
    tamis_compactionfilter_t* (*create_compaction_filter)(
        void*, tamis_compactionfiltercontext_t* context),
    const char* (*name)(void*)) {
  return Must([&] {
    return new tamis_compactionfilterfactory_t(state, destructor,
                                               create_compaction_filter, name);
  });
}

void tamis_compactionfilterfactory_destroy(
    tamis_compactionfilterfactory_t* factory) {
  delete factory;
}

void tamis_options_set_compaction_filter_factory(
    tamis_options_t* opt, tamis_compactionfilterfactory_t* factory) {
  Must([&] { opt->rep.compaction_filter_factory.reset(factory); });
}
