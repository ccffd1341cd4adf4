/// The exit code of the program.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// The command succeeded, and found a problem, such as drift, damage or an invalid query.
  case found = 1
  /// The arguments are invalid.
  case usage = 2
  /// SQLite or a file operation failed.
  case failure = 3
}
