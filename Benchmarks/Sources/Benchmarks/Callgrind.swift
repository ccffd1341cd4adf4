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
    try profile(
      ["--toggle-collect=counted_\(side)"], ["--side", side.rawValue, "--only", operation.id])
  }

  /// Returns the number of instructions of a process that does the work of a growth, in all of its threads.
  func total(_ growth: Growth, size: Int, times: Int) throws -> Int {
    try profile([], ["growth", "--work", growth.id, "\(size)", "\(times)"]).total
  }

  /// Runs this program with these arguments, and returns the instructions that callgrind counts with these options.
  private func profile(_ options: [String], _ arguments: [String]) throws -> Profile {
    let file = folder.url.appending(path: arguments.joined(separator: " "))
    try Tool.run(
      "valgrind",
      ["--tool=callgrind", "--quiet", "--callgrind-out-file=\(file.path)"] + options
        + [program.path] + arguments, package: "valgrind")
    return try Profile(String(contentsOf: file, encoding: .utf8))
  }
}
