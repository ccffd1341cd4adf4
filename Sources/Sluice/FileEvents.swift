import Dispatch
import SluiceCore

#if canImport(Darwin)
  import Darwin
#endif

/// A source of hints that a database file, its WAL or its journal may have changed.
final class FileEvents: Sendable {
  /// A dispatch source, which any thread may cancel.
  struct Source: Sendable {
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
    private let watch: FolderEvents.Watch

    /// Creates a watch on the folder, because the files next to the database are created and deleted at any time.
    init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
      watch = try FolderEvents.shared.add(path, hint)
    }

    func cancel() { FolderEvents.shared.remove(watch) }
  #elseif canImport(Darwin)
    private let sources: [Source]

    /// Creates a watch on the database file and its WAL, and creates the WAL file if it is missing.
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

    func cancel() { for source in sources { source.cancel() } }
  #else
    private let source: Source

    /// Creates a timer that calls `hint` at regular intervals.
    init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
      let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sluice.files"))
      source.schedule(deadline: .now(), repeating: .milliseconds(100))
      self.source = Source(source, hint)
    }

    func cancel() { source.cancel() }
  #endif
}
