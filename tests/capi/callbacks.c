// SPDX-License-Identifier: Apache-2.0
//
// Comparators, merge operators, compaction filters and their factories, prefix
// extractors: what they are given, and that each state is freed exactly once.
#include "program.h"

// How often each state was freed.
enum { kComparator, kMerge, kFilter, kFactory, kPrefix, kFailedOpen, kStates };
static int freed[kStates];
static int filters_made = 0;
static int numbers[kStates] = {0, 1, 2, 3, 4, 5};

static void Free(void* state) { ++freed[*(int*)state]; }

static void PrintFreed(const char* when) {
  printf("freed %s:", when);
  for (int i = 0; i < kStates; ++i) printf(" %d", freed[i]);
  printf("\n");
}

// Orders backwards.
static int Compare(void* state, const char* a, size_t alen, const char* b,
                   size_t blen) {
  CHECK(*(int*)state == kComparator);
  const int by_bytes = memcmp(b, a, alen < blen ? alen : blen);
  if (by_bytes != 0) return by_bytes;
  return alen < blen ? 1 : alen > blen ? -1 : 0;
}
static const char* ComparatorName(void* state) {
  (void)state;
  return "backwards";
}

// Appends operands, each in brackets.
static char* Append(const char* existing, size_t existing_size,
                    const char* const* operands, const size_t* sizes, int count,
                    size_t* size) {
  size_t needed = existing_size + 1;
  for (int i = 0; i < count; ++i) needed += sizes[i] + 2;
  char* result = malloc(needed);
  memcpy(result, existing_size > 0 ? existing : "", existing_size);
  size_t end = existing_size;
  for (int i = 0; i < count; ++i) {
    result[end++] = '[';
    memcpy(result + end, operands[i], sizes[i]);
    end += sizes[i];
    result[end++] = ']';
  }
  *size = end;
  return result;
}
static char* FullMerge(void* state, const char* key, size_t key_length,
                       const char* existing_value, size_t existing_value_length,
                       const char* const* operands, const size_t* sizes,
                       int count, unsigned char* success, size_t* size) {
  CHECK(*(int*)state == kMerge);
  *success = !(key_length == 4 && memcmp(key, "fail", 4) == 0);
  if (!*success) {
    *size = 0;
    return NULL;
  }
  return Append(existing_value, existing_value_length, operands, sizes, count,
                size);
}
static char* PartialMerge(void* state, const char* key, size_t key_length,
                          const char* const* operands, const size_t* sizes,
                          int count, unsigned char* success, size_t* size) {
  (void)state, (void)key, (void)key_length, (void)operands, (void)sizes;
  (void)count;
  *success = 0;
  *size = 0;
  return NULL;
}
static void DeleteValue(void* state, const char* value, size_t size) {
  (void)state, (void)size;
  free((void*)value);
}
static const char* MergeName(void* state) {
  (void)state;
  return "append in brackets";
}

// Removes "remove", changes "change".
static unsigned char Filter(void* state, int level, const char* key,
                            size_t key_length, const char* existing_value,
                            size_t value_length, char** new_value,
                            size_t* new_value_length,
                            unsigned char* value_changed) {
  (void)state, (void)level, (void)existing_value, (void)value_length;
  if (key_length == 6 && memcmp(key, "remove", 6) == 0) return 1;
  if (key_length == 6 && memcmp(key, "change", 6) == 0) {
    static char changed[] = "changed";
    *new_value = changed;
    *new_value_length = 7;
    *value_changed = 1;
  }
  return 0;
}
static const char* FilterName(void* state) {
  (void)state;
  return "filter";
}
static tamis_compactionfilter_t* MakeFilter(
    void* state, tamis_compactionfiltercontext_t* context) {
  CHECK(*(int*)state == kFactory);
  CHECK(tamis_compactionfiltercontext_is_manual_compaction(context));
  CHECK(tamis_compactionfiltercontext_is_full_compaction(context));
  ++filters_made;
  tamis_compactionfilter_t* filter = tamis_compactionfilter_create(
      &numbers[kFilter], Free, Filter, FilterName);
  tamis_compactionfilter_set_ignore_snapshots(filter, 1);
  return filter;
}

// The first two bytes of keys that have them.
static char* Transform(void* state, const char* key, size_t length,
                       size_t* dst_length) {
  (void)state, (void)length;
  *dst_length = 2;
  return (char*)key;
}
static unsigned char InDomain(void* state, const char* key, size_t length) {
  (void)state, (void)key;
  return length >= 2;
}
static unsigned char InRange(void* state, const char* key, size_t length) {
  (void)state, (void)key;
  return length == 2;
}
static const char* PrefixName(void* state) {
  (void)state;
  return "two bytes";
}

static void FilterData(tamis_t* db) {
  Put(db, "keep", "kept");
  Put(db, "remove", "x");
  Put(db, "change", "x");
  Flush(db);
  Put(db, "keep", "kept again");
  Flush(db);
  tamis_compactoptions_t* c = tamis_compactoptions_create();
  tamis_compactoptions_set_bottommost_level_compaction(c, 2);
  tamis_compactoptions_set_exclusive_manual_compaction(c, 1);
  tamis_compact_range_opt(db, c, NULL, 0, NULL, 0);
  tamis_compactoptions_destroy(c);
  PrintDatabase(db);
}

static void MergeAndOrder(const char* path) {
  tamis_options_t* options = NewOptions();
  tamis_comparator_t* comparator = tamis_comparator_create(
      &numbers[kComparator], Free, Compare, ComparatorName);
  tamis_options_set_comparator(options, comparator);
  tamis_options_set_merge_operator(
      options,
      tamis_mergeoperator_create(&numbers[kMerge], Free, FullMerge,
                                 PartialMerge, DeleteValue, MergeName));
  // A copy shares the operator.
  tamis_options_t* copy = tamis_options_create_copy(options);
  tamis_options_destroy(options);
  PrintFreed("after one of two options");
  tamis_t* db = Open(copy, path);
  tamis_writeoptions_t* w = tamis_writeoptions_create();
  tamis_merge(db, w, "m", 1, "1", 1, &err);
  tamis_merge(db, w, "m", 1, "2", 1, &err);
  Put(db, "n", "base");
  tamis_merge(db, w, "n", 1, "3", 1, &err);
  CHECK_OK();
  tamis_writebatch_t* b = tamis_writebatch_create();
  tamis_writebatch_merge(b, "n", 1, "4", 1);
  const char* key[] = {"n"};
  const char* operand[] = {"5", "6"};
  const size_t ones[] = {1, 1};
  tamis_writebatch_mergev(b, 1, key, ones, 2, operand, ones);
  tamis_write(db, w, b, &err);
  CHECK_OK();
  tamis_writebatch_destroy(b);
  PrintDatabase(db);
  Flush(db);
  tamis_compact_range(db, NULL, 0, NULL, 0);
  PrintDatabase(db);
  tamis_merge(db, w, "fail", 4, "x", 1, &err);
  CHECK_OK();
  tamis_readoptions_t* r = tamis_readoptions_create();
  size_t size = 0;
  CHECK(tamis_get(db, r, "fail", 4, &size, &err) == NULL);
  PrintError("a merge that fails");
  tamis_readoptions_destroy(r);
  tamis_writeoptions_destroy(w);
  tamis_close(db);
  tamis_options_destroy(copy);
  tamis_comparator_destroy(comparator);
  PrintFreed("after merge and order");
}

static void Filters(const char* path) {
  char of_factory[512];
  snprintf(of_factory, sizeof of_factory, "%s_factory", path);
  tamis_options_t* options = NewOptions();
  tamis_compactionfilter_t* filter = tamis_compactionfilter_create(
      &numbers[kFilter], Free, Filter, FilterName);
  tamis_compactionfilter_set_ignore_snapshots(filter, 1);
  tamis_options_set_compaction_filter(options, filter);
  tamis_t* db = Open(options, path);
  FilterData(db);
  tamis_close(db);
  tamis_options_destroy(options);
  tamis_compactionfilter_destroy(filter);
  PrintFreed("after a filter");

  options = NewOptions();
  tamis_options_set_compaction_filter_factory(
      options, tamis_compactionfilterfactory_create(&numbers[kFactory], Free,
                                                    MakeFilter, FilterName));
  db = Open(options, of_factory);
  const int before = freed[kFilter];
  FilterData(db);
  tamis_close(db);
  tamis_options_destroy(options);
  // How many filters are made is the engine's choice.
  CHECK(filters_made > 0 && freed[kFilter] - before == filters_made);
  freed[kFilter] = before;
  PrintFreed("after a factory");
}

static void Prefixes(const char* path) {
  tamis_options_t* options = NewOptions();
  tamis_options_set_prefix_extractor(
      options, tamis_slicetransform_create(&numbers[kPrefix], Free, Transform,
                                           InDomain, InRange, PrefixName));
  tamis_t* db = Open(options, path);
  Put(db, "aa1", "1");
  Put(db, "aa2", "2");
  Put(db, "ab1", "3");
  Flush(db);
  tamis_readoptions_t* r = tamis_readoptions_create();
  tamis_readoptions_set_prefix_same_as_start(r, 1);
  tamis_iterator_t* it = tamis_create_iterator(db, r);
  int count = 0;
  for (tamis_iter_seek(it, "aa", 2); tamis_iter_valid(it);
       tamis_iter_next(it)) {
    ++count;
  }
  printf("%d keys with the prefix\n", count);
  tamis_iter_destroy(it);
  tamis_readoptions_destroy(r);
  tamis_close(db);
  tamis_options_destroy(options);
  // A fixed prefix that no options take is freed by its destroy.
  tamis_slicetransform_destroy(tamis_slicetransform_create_fixed_prefix(3));
  tamis_slicetransform_destroy(tamis_slicetransform_create_noop());
  PrintFreed("after prefixes");
}

// The objects of an open that fails are freed with the options.
static void FailedOpen(const char* path) {
  tamis_options_t* options = tamis_options_create();
  tamis_options_set_merge_operator(
      options,
      tamis_mergeoperator_create(&numbers[kFailedOpen], Free, FullMerge,
                                 PartialMerge, DeleteValue, MergeName));
  CHECK(tamis_open(options, path, &err) == NULL);
  PrintError("open");
  CHECK(freed[kFailedOpen] == 0);
  tamis_options_destroy(options);
  PrintFreed("after a failed open");
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  char path[512];
  const char* names[] = {"merge", "filters", "prefixes", "failed"};
  void (*const parts[])(const char*) = {MergeAndOrder, Filters, Prefixes,
                                        FailedOpen};
  for (int i = 0; i < 4; ++i) {
    snprintf(path, sizeof path, "%s_%s", argv[1], names[i]);
    parts[i](path);
  }
  return 0;
}
