/// Runs each part of a task on the thread that starts or resumes it.
///
/// A task that begins here has made its first call, up to where it waits, when `Task.init` returns. A task that is
/// resumed here has released everything that it held when the call that resumes it returns.
final class Inline: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
