import Foundation

/// This program under callgrind.
struct Callgrind {
  private let folder: TemporaryFolder

  /// The program without its debug information, which valgrind cannot always read.
  private var program: URL { folder.url.appending(path: "Benchmarks") }

  init() throws {
    folder = try TemporaryFolder()
    try Tool.run("valgrind", ["--version"], package: "valgrind")
    try Tool.run("strip", ["-g", "-o", program.path, Program.url.path], package: "binutils")
  }

  /// What the instructions of one side are spent on, once it is warm.
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
