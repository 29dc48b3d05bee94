// SPDX-License-Identifier: Apache-2.0
//
// Installs a process-wide handler of SIGBUS. Access to a mapped file raises
// SIGBUS if the page cannot be read or written, because another process
// truncated the file or the device failed. The handler offers the fault to
// MappedFile (reads) and to MappedWindow (stores). If the address is theirs,
// they replace the mapping or the page by other memory, and the access
// continues. The owner of the mapping then finds failed() and returns a Status.
//
// Any other SIGBUS has the effect that it would have without this handler. It
// is passed to the handler that was installed before, with the signal mask that
// the earlier handler requested. If the earlier action was SIG_DFL, the
// fault is repeated under SIG_DFL, so that a core dump shows the place of the
// fault. If it was SIG_IGN, a signal that a process sent is ignored, and a
// fault ends the process, because the kernel does not ignore faults.
//
// If the program later installs a handler that does not call this one, the
// protection is lost, and access to a page that cannot be read or written ends
// the process.
#pragma once

namespace tamis {

// Installs the handler, unless a call did so before. Returns false if the
// system refuses. Any thread.
bool InstallBusErrorHandler();

}  // namespace tamis
