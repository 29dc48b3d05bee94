// SPDX-License-Identifier: Apache-2.0
//
// A process is told from those forked from it by a word that reads 0 in a new
// one: its page is wiped by fork (Linux), or it is cleared by a handler.
#include <new>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/process.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAMIS_HAVE_LSAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TAMIS_HAVE_LSAN
#endif
#if defined(TAMIS_HAVE_LSAN)
#include <sanitizer/lsan_interface.h>
#endif

namespace tamis {

namespace {

using Word = std::atomic<uint64_t>;

// Holds for every kind of fork, _Fork and clone included. nullptr: not here.
Word* NewWordOnWipedPage() {
#if defined(MADV_WIPEONFORK)
  void* const page = ::mmap(nullptr, sizeof(Word), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (::madvise(page, sizeof(Word), MADV_WIPEONFORK) == 0) {
    return new (page) Word(0);
  }
  ::munmap(page, sizeof(Word));
#endif
  return nullptr;
}

Word* NewWord() {
  if (Word* const word = NewWordOnWipedPage()) return word;
  static Word word{0};
  ::pthread_atfork(nullptr, nullptr,
                   [] { word.store(0, std::memory_order_relaxed); });
  return &word;
}

// As long as the process lives: an OwnerProcess may be asked at its very end.
// Threads that come first at the same time may each make a page, and all use
// that of one: none waits (util/base/immortal.h).
Word* CurrentWord() {
  static constinit std::atomic<Word*> kept{nullptr};
  Word* word = kept.load(std::memory_order_acquire);
  if (word != nullptr) return word;
  Word* const made = NewWord();
  return kept.compare_exchange_strong(word, made, std::memory_order_acq_rel,
                                      std::memory_order_acquire)
             ? made
             : word;
}

uint64_t GenerationIn(Word* current) {
  // Copied by fork: a child takes one that none of its ancestors had when the
  // child was forked.
  static std::atomic<uint64_t> last{0};
  uint64_t generation = current->load(std::memory_order_acquire);
  if (generation != 0) return generation;
  const uint64_t fresh = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return current->compare_exchange_strong(generation, fresh) ? fresh
                                                             : generation;
}

}  // namespace

OwnerProcess::OwnerProcess()
    : current_(CurrentWord()),
      generation_(GenerationIn(CurrentWord())),
      pid_(::getpid()) {}

Status OfOtherProcess(const Slice& what, const OwnerProcess& owner) {
  return Status::NotSupported(
      what, "it belongs to process " + std::to_string(owner.pid()) +
                ", from which this process (" + std::to_string(::getpid()) +
                ") was forked; open it in this process");
}

void IgnoreLeakOf([[maybe_unused]] const void* object) {
#if defined(TAMIS_HAVE_LSAN)
  __lsan_ignore_object(object);
#endif
}

}  // namespace tamis
