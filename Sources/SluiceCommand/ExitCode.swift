/// The exit code of the program.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// The command succeeded, and found a problem, such as drift, damage or a wrong query.
  case found = 1
  /// The arguments are invalid.
  case usage = 2
  /// An operation of SQLite or on a file failed.
  case failure = 3
}
