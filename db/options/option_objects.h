// SPDX-License-Identifier: Apache-2.0
//
// Objects in options as text. Each type has a function that prints an object,
// and one that makes an object of a text:
//
//   "nullptr", ""               no object
//   what the present object     the present object. So options with objects of
//   prints                      the user's survive a round trip, if the base
//                               options have them. Of their names, characters
//                               that lists and files give a meaning are
//                               printed as %XX.
//   a built-in object           a new one
//   a malformed built-in        InvalidArgument
//   any other                   NotSupported
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tamis/cache.h"
#include "tamis/comparator.h"
#include "tamis/file_checksum.h"
#include "tamis/filter_policy.h"
#include "tamis/memtablerep.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"
#include "tamis/status.h"

namespace tamis {

using MergeOperatorPtr = std::shared_ptr<MergeOperator>;
using PrefixExtractorPtr = std::shared_ptr<const SliceTransform>;
using FilterPolicyPtr = std::shared_ptr<const FilterPolicy>;
using MemTableRepPtr = std::shared_ptr<MemTableRepFactory>;
using FileChecksumsPtr = std::shared_ptr<FileChecksumGenFactory>;

// The policy that nobody set (IsDefaultFilterPolicy), which has the id of an
// explicit "bloomfilter:10:false", but not its text.
inline constexpr std::string_view kDefaultFilterPolicyText =
    "tamis.DefaultFilterPolicy";

std::string PrintOptionText(const Comparator* comparator);
std::string PrintOptionText(const MergeOperatorPtr& merge_operator);
std::string PrintOptionText(const PrefixExtractorPtr& extractor);
std::string PrintOptionText(const FilterPolicyPtr& policy);
std::string PrintOptionText(const FileChecksumsPtr& factory);
std::string PrintOptionText(const MemTableRepPtr& factory);

// A comparator is never nullptr: without a name, it stays as it is.
Status ParseOptionText(std::string_view text, const Comparator** comparator);
Status ParseOptionText(std::string_view text, MergeOperatorPtr* merge_operator);
Status ParseOptionText(std::string_view text, PrefixExtractorPtr* extractor);
Status ParseOptionText(std::string_view text, FilterPolicyPtr* policy);
Status ParseOptionText(std::string_view text, FileChecksumsPtr* factory);
Status ParseOptionText(std::string_view text, MemTableRepPtr* factory);
// The text is the capacity of a new cache.
Status ParseOptionText(std::string_view text, std::shared_ptr<Cache>* cache);

// What an object becomes whose text names none that is built in.
inline void ForgetObject(const Comparator** /*comparator*/) {}
template <typename Object>
void ForgetObject(std::shared_ptr<Object>* object) {
  object->reset();
}

}  // namespace tamis
