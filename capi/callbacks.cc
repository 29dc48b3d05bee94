// SPDX-License-Identifier: Apache-2.0
//
// Comparators, prefix extractors and merge operators whose functions are C's.
#include <cstdlib>
#include <deque>

#include "tamis/comparator.h"
#include "tamis/merge_operator.h"

#include "capi/call.h"
#include "capi/types.h"

struct tamis_comparator_t final : public tamis::Comparator {
  tamis_comparator_t(void* state, void (*destructor)(void*),
                     int (*compare)(void*, const char*, size_t, const char*,
                                    size_t),
                     const char* (*name)(void*))
      : state_(state, destructor), compare_(compare), name_(name) {}

  const char* Name() const override { return name_(state_.get()); }
  int Compare(const tamis::Slice& a, const tamis::Slice& b) const override {
    return compare_(state_.get(), a.data(), a.size(), b.data(), b.size());
  }
  // C has no functions for these: keys stay as they are.
  void FindShortestSeparator(std::string* /*start*/,
                             const tamis::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  const tamis::capi::StateOwner state_;
  int (*const compare_)(void*, const char*, size_t, const char*, size_t);
  const char* (*const name_)(void*);
};

struct tamis_mergeoperator_t final : public tamis::MergeOperator {
  using Full = char* (*)(void*, const char*, size_t, const char*, size_t,
                         const char* const*, const size_t*, int, unsigned char*,
                         size_t*);
  using Partial = char* (*)(void*, const char*, size_t, const char* const*,
                            const size_t*, int, unsigned char*, size_t*);

  tamis_mergeoperator_t(void* state, void (*destructor)(void*), Full full,
                        Partial partial,
                        void (*delete_value)(void*, const char*, size_t),
                        const char* (*name)(void*))
      : state_(state, destructor),
        full_(full),
        partial_(partial),
        delete_value_(delete_value),
        name_(name) {}

  const char* Name() const override { return name_(state_.get()); }

  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    const Operands operands(in.operand_list);
    unsigned char success = 1;
    size_t length = 0;
    const bool exists = in.existing_value != nullptr;
    char* value =
        full_(state_.get(), in.key.data(), in.key.size(),
              exists ? in.existing_value->data() : nullptr,
              exists ? in.existing_value->size() : 0, operands.data.data(),
              operands.sizes.data(), static_cast<int>(operands.data.size()),
              &success, &length);
    return Take(value, length, success, &out->new_value);
  }

  bool PartialMerge(const tamis::Slice& key, const tamis::Slice& left,
                    const tamis::Slice& right, std::string* new_value,
                    tamis::Logger* logger) const override {
    return PartialMergeMulti(key, {left, right}, new_value, logger);
  }

  bool PartialMergeMulti(const tamis::Slice& key,
                         const std::deque<tamis::Slice>& operand_list,
                         std::string* new_value,
                         tamis::Logger* /*logger*/) const override {
    if (partial_ == nullptr) return false;
    const Operands operands(operand_list);
    unsigned char success = 1;
    size_t length = 0;
    char* value =
        partial_(state_.get(), key.data(), key.size(), operands.data.data(),
                 operands.sizes.data(), static_cast<int>(operands.data.size()),
                 &success, &length);
    return Take(value, length, success, new_value);
  }

 private:
  // The operands as two arrays.
  struct Operands {
    template <typename List>
    explicit Operands(const List& list) {
      for (const tamis::Slice& operand : list) {
        data.push_back(operand.data());
        sizes.push_back(operand.size());
      }
    }
    std::vector<const char*> data;
    std::vector<size_t> sizes;
  };

  // Frees a value that a function returned, also if the copy of it fails.
  class Returned {
   public:
    Returned(const tamis_mergeoperator_t* owner, char* value, size_t length)
        : owner_(owner), value_(value), length_(length) {}
    ~Returned() {
      if (owner_->delete_value_ != nullptr) {
        owner_->delete_value_(owner_->state_.get(), value_, length_);
      } else {
        std::free(value_);
      }
    }
    Returned(const Returned&) = delete;
    Returned& operator=(const Returned&) = delete;

   private:
    const tamis_mergeoperator_t* const owner_;
    char* const value_;
    const size_t length_;
  };

  bool Take(char* value, size_t length, unsigned char success,
            std::string* result) const {
    const Returned returned(this, value, length);
    if (value == nullptr) {
      result->clear();
      return success != 0 && length == 0;
    }
    result->assign(value, length);
    return success != 0;
  }

  const tamis::capi::StateOwner state_;
  const Full full_;
  const Partial partial_;
  void (*const delete_value_)(void*, const char*, size_t);
  const char* (*const name_)(void*);
};

namespace tamis::capi {
namespace {

class CSliceTransform final : public SliceTransform {
 public:
  CSliceTransform(void* state, void (*destructor)(void*),
                  char* (*transform)(void*, const char*, size_t, size_t*),
                  unsigned char (*in_domain)(void*, const char*, size_t),
                  const char* (*name)(void*))
      : state_(state, destructor),
        transform_(transform),
        in_domain_(in_domain),
        name_(name) {}

  const char* Name() const override { return name_(state_.get()); }
  Slice Transform(const Slice& key) const override {
    size_t length = 0;
    const char* prefix =
        transform_(state_.get(), key.data(), key.size(), &length);
    return {prefix, length};
  }
  bool InDomain(const Slice& key) const override {
    return in_domain_(state_.get(), key.data(), key.size()) != 0;
  }

 private:
  const StateOwner state_;
  char* (*const transform_)(void*, const char*, size_t, size_t*);
  unsigned char (*const in_domain_)(void*, const char*, size_t);
  const char* (*const name_)(void*);
};

tamis_slicetransform_t* Wrap(const SliceTransform* transform) {
  return new tamis_slicetransform_t{
      std::shared_ptr<const SliceTransform>(transform)};
}

}  // namespace
}  // namespace tamis::capi

using namespace tamis;        // NOLINT: this file is its C face
using namespace tamis::capi;  // NOLINT

tamis_comparator_t* tamis_comparator_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b,
                   size_t blen),
    const char* (*name)(void*)) {
  return Must(
      [&] { return new tamis_comparator_t(state, destructor, compare, name); });
}

void tamis_comparator_destroy(tamis_comparator_t* comparator) {
  delete comparator;
}

void tamis_options_set_comparator(tamis_options_t* opt,
                                  tamis_comparator_t* comparator) {
  opt->rep.comparator = comparator;
}

tamis_slicetransform_t* tamis_slicetransform_create(
    void* state, void (*destructor)(void*),
    char* (*transform)(void*, const char* key, size_t length,
                       size_t* dst_length),
    unsigned char (*in_domain)(void*, const char* key, size_t length),
    unsigned char (* /*in_range*/)(void*, const char* key, size_t length),
    const char* (*name)(void*)) {
  return Must([&] {
    return Wrap(
        new CSliceTransform(state, destructor, transform, in_domain, name));
  });
}

tamis_slicetransform_t* tamis_slicetransform_create_fixed_prefix(
    size_t length) {
  return Must([&] { return Wrap(NewFixedPrefixTransform(length)); });
}

tamis_slicetransform_t* tamis_slicetransform_create_capped_prefix(
    size_t length) {
  return Must([&] { return Wrap(NewCappedPrefixTransform(length)); });
}

tamis_slicetransform_t* tamis_slicetransform_create_noop(void) {
  return Must([] { return Wrap(NewNoopTransform()); });
}

void tamis_slicetransform_destroy(tamis_slicetransform_t* transform) {
  delete transform;
}

tamis_mergeoperator_t* tamis_mergeoperator_create(
    void* state, void (*destructor)(void*),
    char* (*full_merge)(void*, const char* key, size_t key_length,
                        const char* existing_value,
                        size_t existing_value_length,
                        const char* const* operands_list,
                        const size_t* operands_list_length, int num_operands,
                        unsigned char* success, size_t* new_value_length),
    char* (*partial_merge)(void*, const char* key, size_t key_length,
                           const char* const* operands_list,
                           const size_t* operands_list_length, int num_operands,
                           unsigned char* success, size_t* new_value_length),
    void (*delete_value)(void*, const char* value, size_t value_length),
    const char* (*name)(void*)) {
  return Must([&] {
    return new tamis_mergeoperator_t(state, destructor, full_merge,
                                     partial_merge, delete_value, name);
  });
}

void tamis_mergeoperator_destroy(tamis_mergeoperator_t* merge_operator) {
  delete merge_operator;
}

void tamis_options_set_merge_operator(tamis_options_t* opt,
                                      tamis_mergeoperator_t* merge_operator) {
  Must([&] { opt->rep.merge_operator.reset(merge_operator); });
}
