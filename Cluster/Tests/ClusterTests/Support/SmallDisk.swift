import Foundation
import Testing

/// A small file system in memory, which can be filled.
final class SmallDisk: Sendable {
  private let path: String
  private var filler: String { path + "/filler" }

  /// Mounts a file system at a path.
  init(at path: String, megabytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try #require(Self.mount(at: path, megabytes), "cannot mount a file system at \(path)")
  }

  /// Whether this process may mount file systems, which only root may.
  static let isPossible: Bool = {
    let path = FileManager.default.temporaryDirectory.path + "/sluice-disk-\(UUID())"
    // A folder that cannot be created cannot be mounted at, and one that remains is temporary.
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return mount(at: path, 1) && run("umount", path) == 0
  }()

  private static func mount(at path: String, _ megabytes: Int) -> Bool {
    run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path) == 0
  }

  /// Takes the whole space that is left.
  func fill() throws {
    let descriptor = unsafe open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    for size in [65_536, 4096, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while unsafe bytes.withUnsafeBytes({ unsafe write(descriptor, $0.baseAddress, size) }) > 0 {}
    }
  }

  /// Gives the space back that ``fill()`` has taken.
  func empty() throws { try FileManager.default.removeItem(atPath: filler) }

  /// Unmounts the file system; the processes that used it must have ended.
  func remove() { _ = Self.run("umount", path) }

  /// Runs a program, and returns its exit status; -1 if it cannot be started.
  private static func run(_ arguments: String...) -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
