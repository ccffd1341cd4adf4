import Foundation

/// Another process that runs the load test with the same file, and prints its ledger.
final class SecondProcess: Sendable {
  private let output: Task<Data, any Error>

  init(_ options: LoadOptions) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [
      "load", options.file, "--is-second-process", "--seconds", "\(options.seconds)",
      "--tasks", "\(max(1, options.tasks / 4))", "--seed", "\(options.seed + 1)",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let reader = pipe.fileHandleForReading
    output = Task.detached {
      try await withCheckedThrowingContinuation { continuation in
        // Reading blocks, so it needs a thread of its own.
        Thread.detachNewThread {
          continuation.resume(with: Result { try reader.readToEnd() ?? Data() })
        }
      }
    }
  }

  /// Waits for the end of the process, and returns its ledger.
  func ledger() async throws -> Ledger.Entries {
    try JSONDecoder().decode(Ledger.Entries.self, from: try await output.value)
  }
}
