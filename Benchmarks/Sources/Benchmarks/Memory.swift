import Foundation

/// Workload 13: the resident memory of a process with an almost empty database, in MiB.
enum Memory {
  static let workload = "13"
  /// Whether this system reports the memory use of a process.
  static let isKnown = FileManager.default.fileExists(atPath: "/proc/self/status")
  private static let limit = 12.0

  /// Measures a C program and a program that uses SluiceCore, alternately.
  static func measure(rounds: Int) throws -> Finding {
    let folder = try TemporaryFolder()
    let twin = folder.url.appending(path: "MemoryOfC")
    // SwiftPM would link Swift's library even into a pure C program, so compile it with clang.
    let source = Program.sources.appending(path: "MemoryOfC/main.c")
    try Tool.run("clang", ["-O2", "-o", twin.path, source.path, "-lsqlite3"], package: "clang")
    var c: [Double] = []
    var sluice: [Double] = []
    for _ in 0..<rounds {
      c.append(try residentSize(of: twin))
      sluice.append(try residentSize(of: Program.memoryOfSluice))
    }
    return Finding(
      workload: workload, name: "memory of a process", unit: .mebibytes, c: c.median,
      sluice: sluice.median, ratios: zip(sluice, c).map { $0 / $1 }, target: limit, count: 1)
  }

  /// Starts a program, waits until it reports that it is ready, and measures its memory.
  private static func residentSize(of program: URL) throws -> Double {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    process.executableURL = program
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer {
      // The program exits at the end of its input.
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
      throw Failure("\(program.lastPathComponent) did not report that it is ready")
    }
    return try residentSize(of: process.processIdentifier)
  }

  private static func residentSize(of process: Int32) throws -> Double {
    let status = try FileHandle(forReadingAtPath: "/proc/\(process)/status")?.readToEnd()
    let line = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("VmRSS:") }
    guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { throw Failure("The system does not report the memory of the process") }
    return kibibytes / 1024
  }
}
