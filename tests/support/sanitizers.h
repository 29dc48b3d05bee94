// SPDX-License-Identifier: Apache-2.0
//
// The sanitizer that this program is compiled with. g++ names it by macros,
// clang by features.
#pragma once

namespace tamis {

#if defined(__has_feature)
inline constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
inline constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#endif
inline constexpr bool kSanitizer = kAddressSanitizer || kThreadSanitizer;
// Why a test is skipped under a sanitizer.
inline constexpr char kNoOtherCode[] = "other figures of the same code";
inline constexpr char kOneThread[] = "one thread, which cannot race";

}  // namespace tamis
