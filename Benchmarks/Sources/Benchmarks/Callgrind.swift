import Foundation

/// A copy of this program that runs under callgrind.
struct Callgrind {
  private let folder: TemporaryFolder

  /// The program without debug information, which valgrind cannot always read.
  private var program: URL { folder.url.appending(path: "Benchmarks") }

  init() throws {
    folder = try TemporaryFolder()
    try Tool.run("valgrind", ["--version"], package: "valgrind")
    try Tool.run("strip", ["-g", "-o", program.path, Program.url.path], package: "binutils")
  }

  /// Returns the instructions that one side executes in each function, after a warm-up.
  func profile(_ operation: Operation, _ side: Side) throws -> Profile {
    let file = folder.url.appending(path: "\(operation.id).\(side)")
    try Tool.run(
      "valgrind",
      [
        "--tool=callgrind", "--quiet",
        "--toggle-collect=counted_\(side)",
        "--callgrind-out-file=\(file.path)", program.path, "--side", side.rawValue, "--only",
        operation.id,
      ], package: "valgrind")
    return try Profile(String(contentsOf: file, encoding: .utf8))
  }
}
