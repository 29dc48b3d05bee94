// SPDX-License-Identifier: Apache-2.0
#include "rados/shared_directory.h"

namespace tamis::rados {

namespace {

// A request that is late must not make a closed file an open one.
std::string KeyOf(const std::string& name, bool open) {
  return (open ? kOpenNamePrefix : kNamePrefix) + name;
}

}  // namespace

StoreResult SharedDirectory::Apply(const ObjectWrite& write) {
  return RetryUntilKnown(
      store_, [&] { return store_->Apply(object_, write); }, kNeverEnds);
}

// Its id is new: if it exists, an attempt without an answer has created it.
StoreResult SharedDirectory::Create() {
  StoreResult result = Apply(
      ObjectWrite().Create().SetAttribute(kWriterAttribute, epoch_text()));
  return result.code == StoreCode::kExists ? StoreResult() : result;
}

StoreResult SharedDirectory::TakeOver(const std::string& epoch_text) {
  return Apply(ObjectWrite()
                   .RequireAtMost(kWriterAttribute, epoch_text)
                   .SetAttribute(kWriterAttribute, epoch_text));
}

StoreResult SharedDirectory::Forget(const std::string& name) {
  return Apply(ObjectWrite()
                   .RemoveEntry(KeyOf(name, false))
                   .RemoveEntry(KeyOf(name, true)));
}

StoreResult SharedDirectory::Remove() {
  StoreResult result = Apply(ObjectWrite().Remove());
  return result.code == StoreCode::kNotFound ? StoreResult() : result;
}

StoreResult SharedDirectory::Put(const std::string& name,
                                 const FileEntry& entry) {
  return Apply(ObjectWrite()
                   .RequireEqual(kWriterAttribute, epoch_text())
                   .SetEntry(KeyOf(name, entry.is_open()), EncodeEntry(entry)));
}

Status SharedDirectory::Find(const std::string& name, FileEntry* entry) const {
  StoreResult got;
  for (const bool open : {false, true}) {
    const std::string key = KeyOf(name, open);
    std::string text;
    got = RetryUntilKnown(
        store_, [&] { return store_->GetEntry(object_, key, &text); },
        kNeverEnds);
    if (got.ok()) return DecodeEntry(volume_, key, text, entry);
    if (got.code != StoreCode::kNotFound) break;
  }
  return StatusOf(object_.name + " " + name, "look up", got);
}

Status SharedDirectory::List(NameMap* files) const {
  files->clear();
  for (const char* prefix : {kNamePrefix, kOpenNamePrefix}) {
    EntryMap entries;
    const StoreResult got = RetryUntilKnown(
        store_, [&] { return store_->GetEntries(object_, prefix, &entries); },
        kNeverEnds);
    if (got.code == StoreCode::kNotFound) return Status::OK();
    if (!got.ok()) return StatusOf(object_.name, "list", got);
    NameMap some;
    const Status status = DecodeNames(volume_, entries, &some);
    if (!status.ok()) return status;
    files->merge(some);
  }
  return Status::OK();
}

}  // namespace tamis::rados
