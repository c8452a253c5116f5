//! Signals to the processes that we start, on systems that have them.

use std::process::ExitStatus;

#[cfg(unix)]
fn send(process: u32, signal: nix::sys::signal::Signal) {
    if let Ok(process) = i32::try_from(process) {
        // A process that has ended meanwhile needs no signal.
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(process), signal);
    }
}

/// Asks a process to stop.
#[cfg(unix)]
pub fn terminate(process: u32) {
    send(process, nix::sys::signal::Signal::SIGTERM);
}

/// Ends a process.
#[cfg(unix)]
pub fn kill(process: u32) {
    send(process, nix::sys::signal::Signal::SIGKILL);
}

/// The signal that ended a process, if one did.
#[cfg(unix)]
pub fn of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Makes this process end with the one that started it.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    // Elsewhere, and if it cannot be had, it ends with its input or its work.
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
}

/// Makes this process end with the one that started it, where that can be had.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() {}

/// Asks a process to stop, where that can be had.
#[cfg(not(unix))]
pub fn terminate(_: u32) {}

/// Ends a process, where that can be had.
#[cfg(not(unix))]
pub fn kill(_: u32) {}

/// There are no signals.
#[cfg(not(unix))]
pub fn of(_: ExitStatus) -> Option<i32> {
    None
}
