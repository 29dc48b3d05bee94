// SPDX-License-Identifier: Apache-2.0
#include "table/block_fetcher.h"

#include <cstdio>
#include <cstring>
#include <utility>

#include "tamis/clock.h"

#include "util/coding/checksum.h"
#include "util/compression/compression.h"
#include "util/io/file_io.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// A larger block is read alone: its bytes take the device longer than its
// latency, and those that are under way at the same time are memory.
constexpr uint64_t kStartedBytesMax = 256 << 10;

// Returns the memory of a payload that fills most of it, and makes it hold
// nothing else; nullptr if there is none.
ByteBuffer* MemoryOf(const Slice& payload, BlockScratch* scratch) {
  for (ByteBuffer* const memory : {&scratch->stored, &scratch->uncompressed}) {
    if (payload.data() != memory->data()) continue;
    if (memory->capacity() - payload.size() > payload.size() / 8) break;
    memory->Truncate(payload.size());  // without the trailer
    return memory;
  }
  return nullptr;
}

Tickers HitTicker(BlockKind kind) {
  return kind == BlockKind::kData    ? BLOCK_CACHE_DATA_HIT
         : kind == BlockKind::kIndex ? BLOCK_CACHE_INDEX_HIT
                                     : BLOCK_CACHE_FILTER_HIT;
}

Tickers MissTicker(BlockKind kind) {
  return kind == BlockKind::kData    ? BLOCK_CACHE_DATA_MISS
         : kind == BlockKind::kIndex ? BLOCK_CACHE_INDEX_MISS
                                     : BLOCK_CACHE_FILTER_MISS;
}

void CountHit(BlockKind kind, size_t bytes, const ReadContext& context) {
  TAMIS_PERF_COUNT(block_cache_hit_count, 1);
  if (kind == BlockKind::kIndex) {
    TAMIS_PERF_COUNT(block_cache_index_hit_count, 1);
  } else if (kind == BlockKind::kFilter) {
    TAMIS_PERF_COUNT(block_cache_filter_hit_count, 1);
  }
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->block_cache_hit_count;
  }
  RecordTick(context.statistics, BLOCK_CACHE_HIT);
  RecordTick(context.statistics, HitTicker(kind));
  RecordTick(context.statistics, BLOCK_CACHE_BYTES_READ, bytes);
}

void CountMiss(BlockKind kind, const ReadContext& context) {
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->block_cache_miss_count;
  }
  RecordTick(context.statistics, BLOCK_CACHE_MISS);
  RecordTick(context.statistics, MissTicker(kind));
}

void CountAdd(BlockKind kind, size_t bytes, Statistics* statistics) {
  if (statistics == nullptr) return;
  const bool data = kind == BlockKind::kData;
  const bool index = kind == BlockKind::kIndex;
  RecordTick(statistics, BLOCK_CACHE_ADD);
  RecordTick(statistics, BLOCK_CACHE_BYTES_WRITE, bytes);
  RecordTick(statistics, data    ? BLOCK_CACHE_DATA_ADD
                         : index ? BLOCK_CACHE_INDEX_ADD
                                 : BLOCK_CACHE_FILTER_ADD);
  RecordTick(statistics,
             data    ? BLOCK_CACHE_DATA_BYTES_INSERT
             : index ? BLOCK_CACHE_INDEX_BYTES_INSERT
                     : BLOCK_CACHE_FILTER_BYTES_INSERT,
             bytes);
}

void CountRead(BlockKind kind, size_t bytes) {
  TAMIS_PERF_COUNT(block_read_count, 1);
  TAMIS_PERF_COUNT(block_read_byte, bytes);
  if (kind == BlockKind::kIndex) {
    TAMIS_PERF_COUNT(index_block_read_count, 1);
  } else if (kind == BlockKind::kFilter) {
    TAMIS_PERF_COUNT(filter_block_read_count, 1);
  }
}

// Returns the time to which a Fetch of the kind is added, or nullptr.
uint64_t* FetchTime(BlockKind kind) {
  return kind == BlockKind::kIndex ? &tls_perf_context.read_index_block_nanos
         : kind == BlockKind::kFilter
             ? &tls_perf_context.read_filter_block_nanos
             : nullptr;
}

std::string Hex32(uint32_t v) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", v);
  return text;
}

}  // namespace

void BlockFetcher::UseCache(std::shared_ptr<BlockCache> cache,
                            bool cache_data_blocks,
                            CachePriority metadata_priority) {
  cache_ = std::move(cache);
  cache_data_blocks_ = cache_data_blocks;
  metadata_priority_ = metadata_priority;
}

std::string BlockFetcher::Where(const BlockHandle& handle) const {
  return "block at offset " + std::to_string(handle.offset) + ": ";
}

Status BlockFetcher::CheckMayRead(const BlockHandle& handle,
                                  const ReadContext& context) const {
  if (context.tier == kBlockCacheTier) {
    return Status::Incomplete(*file_name_,
                              Where(handle) +
                                  "not resident, and "
                                  "read_tier allows no file reads");
  }
  const ReadLimits* const limits = context.limits;
  if (limits == nullptr || limits->deadline == 0 ||
      limits->clock->NowMicros() < limits->deadline) {
    return Status::OK();
  }
  return Status::TimedOut(*file_name_,
                          Where(handle) + "not read: the deadline has passed");
}

// A handle that does not fit into the file is refused where the block is read.
Status BlockFetcher::AwaitRate(const BlockHandle& handle,
                               const ReadContext& context) const {
  const ReadLimits* const limits = context.limits;
  if (limits == nullptr || limits->rate_limiter == nullptr ||
      !handle.FitsIn(file_size_)) {
    return Status::OK();
  }
  limits->rate_limiter->Request(
      static_cast<int64_t>(handle.size + kBlockTrailerBytes), limits->priority,
      context.statistics, RateLimiter::OpType::kRead);
  return CheckMayRead(handle, context);
}

Status BlockFetcher::CheckReadTime(const BlockHandle& handle,
                                   const ReadLimits& limits,
                                   uint64_t start) const {
  const uint64_t micros = limits.clock->NowMicros() - start;
  if (micros <= limits.io_timeout) return Status::OK();
  return Status::TimedOut(*file_name_, Where(handle) + "read in " +
                                           std::to_string(micros) +
                                           " microseconds, io_timeout is " +
                                           std::to_string(limits.io_timeout));
}

inline PinnedBytes BlockFetcher::FindResident(
    const BlockPlace& place, BlockKind kind, const ReadContext& context) const {
  const BlockBuffer* const resident = BlockCache::Lookup(*place.slot);
  if (resident == nullptr) {
    CountMiss(kind, context);
    return {};
  }
  CountHit(kind, resident->bytes().size(), context);
  return PinnedBytes::Lend(resident);
}

Result<PinnedBytes> BlockFetcher::Fetch(const BlockPlace& place, BlockKind kind,
                                        const BlockForm* form,
                                        const ReadContext& context) const {
  const PerfTimer timer(FetchTime(kind));
  const bool cached = place.slot != nullptr && cache_ != nullptr;
  if (cached) {
    PinnedBytes resident = FindResident(place, kind, context);
    if (resident.buffer() != nullptr) return resident;
  }
  TAMIS_RETURN_IF_ERROR(CheckMayRead(place.handle, context));
  Result<ByteBuffer> payload = Read(place.handle, kind, context);
  if (!payload.ok()) return payload.status();
  const bool stays = cached && context.fill != CacheFill::kNothing;
  Result<PinnedBytes> block = MakeBlock(*std::move(payload), place.handle, form,
                                        stays ? cache_->pool() : nullptr);
  if (!block.ok() || !stays) return block;
  return MakeResident(place, kind, *std::move(block), context);
}

PinnedBytes BlockFetcher::FindData(const BlockPlace& place,
                                   const ReadContext& context) const {
  if (!KeepsData(place)) return {};
  return FindResident(place, BlockKind::kData, context);
}

Result<BlockFetcher::DataBlock> BlockFetcher::ReadData(
    const BlockPlace& place, const BlockForm& form, const ReadContext& context,
    BlockScratch* scratch, const StartedBlock* started) const {
  TAMIS_RETURN_IF_ERROR(CheckMayRead(place.handle, context));
  const Result<StoredPayload> stored = ReadPayload(
      place.handle, BlockKind::kData, context, &scratch->stored, started);
  if (!stored.ok()) return stored.status();
  DataBlock read;
  if (!KeepsData(place) || !Admits(place, context)) {
    read.stored = *stored;
    return read;
  }
  const Result<Slice> payload = Unpack(place.handle, BlockKind::kData, *stored,
                                       context, &scratch->uncompressed);
  if (!payload.ok()) return payload.status();
  Result<PinnedBytes> block = form.Transform(
      *payload, MemoryOf(*payload, scratch), place.handle, cache_->pool());
  if (!block.ok()) return block.status();
  read.block =
      MakeResident(place, BlockKind::kData, *std::move(block), context);
  return read;
}

BlockFetcher::Started BlockFetcher::StartData(const BlockPlace& place,
                                              const ReadContext& context,
                                              StartedBlock* started,
                                              AsyncReads* reads) const {
  if (!place.handle.FitsIn(file_size_) ||
      place.handle.size > kStartedBytesMax ||
      !CheckMayRead(place.handle, context).ok() ||
      !AwaitRate(place.handle, context).ok()) {
    return Started::kAlone;
  }
  TAMIS_PERF_TIMER(timer, block_read_time);
  const auto n = static_cast<size_t>(place.handle.size + kBlockTrailerBytes);
  started->memory.Clear();
  started->request = {.offset = place.handle.offset,
                      .len = n,
                      .scratch = started->memory.Room(n),
                      .result = {},
                      .status = {}};
  return file_io::ReadAsync(*file_, &started->request, reads)
             ? Started::kDone
             : Started::kUnderWay;
}

Result<Slice> BlockFetcher::BytesOf(const BlockHandle& handle,
                                    const StartedBlock& started) const {
  const FSReadRequest& request = started.request;
  TAMIS_RETURN_IF_ERROR(request.status);
  TAMIS_RETURN_IF_ERROR(CheckRead(handle, BlockKind::kData, request.result));
  return request.result;
}

bool BlockFetcher::StartSteps(const StoredPayload& stored, StepDecoder* decoder,
                              ByteBuffer* memory) const {
  return StepDecoder::Supports(stored.codec) && dictionary_ == nullptr &&
         decoder
             ->Start(stored.codec, stored.bytes, form_, max_block_bytes_,
                     memory)
             .ok();
}

bool BlockFetcher::Admits(const BlockPlace& place,
                          const ReadContext& context) const {
  if (context.fill == CacheFill::kNothing) return false;
  // The least that the node can take.
  const auto bytes = static_cast<size_t>(place.handle.size);
  if (cache_->HasRoom(*place.slot, bytes)) return true;
  if (bytes > cache_->LargestCharge()) return false;
  return context.fill == CacheFill::kAlways ||
         (context.fill == CacheFill::kReadRecently &&
          cache_->RecordRead(recency_key_, place.handle.offset));
}

PinnedBytes BlockFetcher::Insert(const BlockPlace& place, BlockKind kind,
                                 PinnedBytes block) const {
  return cache_->Insert(
      place.slot, place.parent, std::move(block), RoleOf(kind),
      kind == BlockKind::kData ? CachePriority::kLow : metadata_priority_);
}

PinnedBytes BlockFetcher::MakeResident(const BlockPlace& place, BlockKind kind,
                                       PinnedBytes block,
                                       const ReadContext& context) const {
  CountAdd(kind, block.bytes().size(), context.statistics);
  return Insert(place, kind, std::move(block));
}

Result<PinnedBytes> BlockFetcher::MakeBlock(ByteBuffer payload,
                                            const BlockHandle& handle,
                                            const BlockForm* form,
                                            BlockPool* pool) {
  if (form != nullptr) {
    return form->Transform(payload.bytes(), &payload, handle, pool);
  }
  return PinnedBytes::Adopt(
      BlockBuffer::New(std::move(payload), /*side_bytes=*/0, pool));
}

Result<ByteBuffer> BlockFetcher::Read(const BlockHandle& handle, BlockKind kind,
                                      const ReadContext& context) const {
  ByteBuffer memory;
  const Result<StoredPayload> stored =
      ReadPayload(handle, kind, context, &memory);
  if (!stored.ok()) return stored.status();
  if (stored->codec == kNoCompression &&
      stored->bytes.data() == memory.data()) {
    memory.Truncate(stored->bytes.size());
    return memory;
  }
  ByteBuffer raw;
  TAMIS_RETURN_IF_ERROR(UnpackOwned(handle, kind, *stored, context, &raw));
  return raw;
}

Result<StoredPayload> BlockFetcher::ReadPayload(
    const BlockHandle& handle, BlockKind kind, const ReadContext& context,
    ByteBuffer* memory, const StartedBlock* started) const {
  if (started == nullptr) TAMIS_RETURN_IF_ERROR(AwaitRate(handle, context));
  const bool timed = context.limits != nullptr && started == nullptr &&
                     context.limits->io_timeout != 0;
  const uint64_t start = timed ? context.limits->clock->NowMicros() : 0;
  const Result<Slice> stored =
      started != nullptr
          ? BytesOf(handle, *started)
          : ReadStored(handle, kind,
                       kind == BlockKind::kData ? context.window : nullptr,
                       memory, context.statistics);
  if (!stored.ok()) return stored.status();
  if (timed) {
    TAMIS_RETURN_IF_ERROR(CheckReadTime(handle, *context.limits, start));
  }
  if (context.verify_checksums) {
    TAMIS_PERF_TIMER(timer, block_checksum_time);
    RecordTick(context.statistics, BLOCK_CHECKSUM_COMPUTE_COUNT);
    TAMIS_RETURN_IF_ERROR(CompareChecksum(handle, *stored));
  }
  return PayloadOf(*stored);
}

StoredPayload BlockFetcher::PayloadOf(const Slice& stored) {
  TAMIS_CHECK(stored.size() >= kBlockTrailerBytes);
  const size_t size = stored.size() - kBlockTrailerBytes;
  return {.bytes = Slice(stored.data(), size),
          .codec = static_cast<CompressionType>(stored.data()[size])};
}

Result<Slice> BlockFetcher::ReadStored(const BlockHandle& handle,
                                       BlockKind kind, ReadaheadWindow* window,
                                       ByteBuffer* memory,
                                       Statistics* statistics) const {
  if (!handle.FitsIn(file_size_)) {
    return Status::Corruption(
        *file_name_, Where(handle) + "size " + std::to_string(handle.size) +
                         " does not fit into the file of " +
                         std::to_string(file_size_) + " bytes");
  }
  const auto n = static_cast<size_t>(handle.size + kBlockTrailerBytes);
  Slice got;
  {
    TAMIS_PERF_TIMER(timer, block_read_time);
    const char* const ahead =
        window != nullptr ? window->Find(*file_, file_size_, handle.offset, n)
                          : nullptr;
    if (ahead != nullptr) {
      got = Slice(ahead, n);
    } else {
      memory->Clear();
      const HistogramTimer timing(statistics, SST_READ_MICROS);
      TAMIS_RETURN_IF_ERROR(
          file_io::Read(*file_, handle.offset, n, &got, memory->Room(n)));
    }
  }
  TAMIS_RETURN_IF_ERROR(CheckRead(handle, kind, got));
  if (got.data() == memory->data()) memory->Advance(n);
  return got;
}

Status BlockFetcher::CheckRead(const BlockHandle& handle, BlockKind kind,
                               const Slice& got) const {
  const uint64_t n = handle.size + kBlockTrailerBytes;
  CountRead(kind, static_cast<size_t>(n));
  if (got.size() == n) return Status::OK();
  return Status::Corruption(
      *file_name_, Where(handle) + "short read, expected " + std::to_string(n) +
                       " bytes, got " + std::to_string(got.size()));
}

Status BlockFetcher::CompareChecksum(const BlockHandle& handle,
                                     const Slice& stored) const {
  if (footer_.checksum == kNoChecksum) return Status::OK();
  const Slice payload(stored.data(), stored.size() - kBlockTrailerBytes);
  const char* const trailer = payload.end();
  const uint32_t expected = DecodeFixed32(trailer + 1);
  const uint32_t got = footer_.ChecksumOf(handle.offset, payload,
                                          static_cast<uint8_t>(trailer[0]));
  if (expected == got) return Status::OK();
  return Status::Corruption(
      *file_name_, Where(handle) + "checksum mismatch (" +
                       ChecksumTypeName(footer_.checksum) + ", " +
                       std::to_string(payload.size()) + " bytes), expected " +
                       Hex32(expected) + ", got " + Hex32(got));
}

Result<Slice> BlockFetcher::Unpack(const BlockHandle& handle, BlockKind kind,
                                   const StoredPayload& stored,
                                   const ReadContext& context,
                                   ByteBuffer* memory) const {
  if (stored.codec == kNoCompression) return stored.bytes;
  TAMIS_PERF_TIMER(timer, block_decompress_time);
  const HistogramTimer timing(context.statistics, DECOMPRESSION_TIMES_NANOS);
  const Status status =
      UncompressInto(stored.codec, stored.bytes, form_,
                     kind == BlockKind::kData ? dictionary_.get() : nullptr,
                     max_block_bytes_, memory);
  if (status.ok()) {
    RecordTick(context.statistics, NUMBER_BLOCK_DECOMPRESSED);
    return memory->bytes();
  }
  const std::string what = Where(handle) + status.message();
  return status.IsNotSupported() ? Status::NotSupported(*file_name_, what)
                                 : Status::Corruption(*file_name_, what);
}

Status BlockFetcher::UnpackOwned(const BlockHandle& handle, BlockKind kind,
                                 const StoredPayload& stored,
                                 const ReadContext& context,
                                 ByteBuffer* out) const {
  const Result<Slice> payload = Unpack(handle, kind, stored, context, out);
  if (!payload.ok()) return payload.status();
  if (stored.codec == kNoCompression) {
    out->Clear();
    out->Append(*payload);
  }
  return Status::OK();
}

}  // namespace tamis
