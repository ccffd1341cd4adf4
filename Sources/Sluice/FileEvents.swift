import Dispatch
import SluiceCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Hears that the file of a database, its WAL or its journal may have changed.
final class FileEvents: Sendable {
  private let sources: [Source]

  func cancel() { for source in sources { source.cancel() } }

  /// A source of Dispatch, which any thread may cancel.
  private struct Source: Sendable {
    nonisolated(unsafe) private let source: any DispatchSourceProtocol

    init(
      _ source: any DispatchSourceProtocol, _ hint: @escaping @Sendable () -> Void,
      end: @escaping @Sendable () -> Void = {}
    ) {
      unsafe self.source = source
      source.setEventHandler(handler: hint)
      source.setCancelHandler(handler: end)
      source.activate()
    }

    func cancel() { unsafe source.cancel() }
  }

  #if canImport(Glibc) || canImport(Musl)
    /// Watches the folder, as files beside that of the database come and go.
    init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw FileEvents.failure(path) }
      let end = path.lastIndex(of: "/")
      let folder = end.map { String(path[..<$0]) + "/" } ?? "."
      let name = end.map { String(path[path.index(after: $0)...]) } ?? path
      let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO
      guard unsafe inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
        let error = FileEvents.failure(path)
        close(descriptor)
        throw error
      }
      let source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "sluice.files"))
      sources = [
        Source(source) {
          if FileEvents.hasEvent(descriptor, about: name) { hint() }
        } end: {
          close(descriptor)
        }
      ]
    }

    /// Takes all events that wait, and tells whether one is about the database.
    private static func hasEvent(_ descriptor: Int32, about name: String) -> Bool {
      let names = ["", "-wal", "-journal"].map { Array((name + $0).utf8) }
      let head = MemoryLayout<inotify_event>.size
      var isConcerned = false
      var buffer = [UInt8](repeating: 0, count: 8192)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes {
          unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { return isConcerned }
        unsafe buffer.withUnsafeBytes { bytes in
          var offset = 0
          while offset + head <= count {
            let event = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let start = offset + head
            offset = min(count, start + Int(event.len))
            let found = unsafe Array(bytes[start..<offset].prefix { $0 != 0 })
            // Events that were lost may have been about it.
            let isLost = event.mask & UInt32(IN_Q_OVERFLOW) != 0
            if isLost || names.contains(found) { isConcerned = true }
          }
        }
      }
    }

    private static func failure(_ path: String) -> SQLiteError {
      let reason = unsafe String(cString: strerror(errno))
      return SQLiteError(.cantOpen, "The folder of \(path) cannot be watched: \(reason)")
    }
  #elseif canImport(Darwin)
    /// Watches the file and the WAL, which is made if it is not there yet.
    init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
      sources = try [path, path + "-wal"].map { path in
        let descriptor = open(path, O_EVTONLY | (path.hasSuffix("-wal") ? O_CREAT : 0), 0o644)
        guard descriptor >= 0 else {
          throw SQLiteError(.cantOpen, "\(path) cannot be watched")
        }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename],
          queue: DispatchQueue(label: "sluice.files"))
        return Source(source, hint) { close(descriptor) }
      }
    }
  #else
    /// Gives a hint from time to time.
    init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
      let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sluice.files"))
      source.schedule(deadline: .now(), repeating: .milliseconds(100))
      sources = [Source(source, hint)]
    }
  #endif
}
