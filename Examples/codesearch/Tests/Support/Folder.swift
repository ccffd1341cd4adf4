import Foundation
import Sluice

/// A temporary folder for one test, which is deleted with its contents.
struct Folder: ~Copyable {
  let url = FileManager.default.temporaryDirectory
    .appending(path: "codesearch \(UUID().uuidString)", directoryHint: .isDirectory)
    .resolvingSymlinksInPath()

  init(_ files: [String: String] = [:]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (path, text) in files { try write(path, text) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ path: String, _ text: String) throws { try write(path, Data(text.utf8)) }

  func write(_ path: String, _ data: Data) throws {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(at: url.appending(path: path))
  }

  func rename(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(at: url.appending(path: path), to: url.appending(path: other))
  }

  /// Runs the program in the folder.
  func codesearch(_ arguments: String...) throws -> Program { try Program(arguments, in: url) }

  /// Runs a shell command in the folder; in the command, `$0` stands for the program.
  ///
  /// - Returns: The command's standard error.
  @discardableResult
  func shell(_ command: String) throws -> String {
    let shell = Process()
    let pipe = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", command, Program.executable.path]
    shell.currentDirectoryURL = url
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = pipe
    try shell.run()
    let messages = pipe.fileHandleForReading.readDataToEndOfFile()
    shell.waitUntilExit()
    return String(decoding: messages, as: UTF8.self)
  }

  /// The path of the index that the program creates in the folder.
  var index: String { url.appending(path: ".codesearch/index.db").path }

  /// Returns the paths that are in the index.
  func indexedPaths() throws -> [String] {
    let connection = try Connection(path: index, readOnly: true)
    return try connection.query(.column(.string), sql: "SELECT path FROM file ORDER BY path")
  }
}
