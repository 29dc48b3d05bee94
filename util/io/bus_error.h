// SPDX-License-Identifier: Apache-2.0
//
// The process-wide handler of SIGBUS. Access to a mapped file raises SIGBUS if
// the page cannot be read or written: another process truncated the file, or
// the device failed. The handler offers the fault to MappedFile (reads) and to
// MappedWindow (stores). They replace the page by memory, and the access
// continues; the owner of the mapping then learns of the failure and returns a
// Status.
//
// Any other SIGBUS is treated as if this handler were not installed: it is
// passed to the handler that was installed before, with the signal mask that
// the earlier one asked for. If that was SIG_DFL, the fault is repeated under
// SIG_DFL, so that a core dump shows the place of the fault. SIG_IGN ignores
// signals that were sent; a fault ends the process, as the kernel does.
//
// If the program later installs a handler that does not call this one, the
// protection is lost, and such an access terminates the process.
#pragma once

namespace tamis {

// Installs the handler if it is not installed yet. Returns false if the system
// refuses. Any thread.
bool InstallBusErrorHandler();

}  // namespace tamis
