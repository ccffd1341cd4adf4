/// An executor that runs each part of a task on the thread that starts or resumes the task.
///
/// When `Task.init` returns, the task has made its first call, up to the point where it waits. When the call that
/// resumes the task returns, the task has released everything that it held.
final class Inline: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
