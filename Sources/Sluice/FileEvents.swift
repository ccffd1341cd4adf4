import Dispatch
import SluiceCore

/// A dispatch source, which any thread may cancel.
struct EventSource: Sendable {
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

#if !canImport(Darwin)
  /// A source of hints that a database file, its WAL or its journal may have changed.
  final class FileEvents: Sendable {
    #if canImport(Glibc) || canImport(Musl)
      private let watch: FolderEvents.Watch

      /// Creates a watch on the folder, because the files next to the database are created and deleted at any time.
      init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
        watch = try FolderEvents.shared.add(path, hint)
      }

      func cancel() { FolderEvents.shared.remove(watch) }
    #else
      private let source: EventSource

      /// Creates a timer that calls `hint` at regular intervals.
      init(_ path: String, _ hint: @escaping @Sendable () -> Void) throws {
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sluice.files"))
        source.schedule(deadline: .now(), repeating: .milliseconds(100))
        self.source = EventSource(source, hint)
      }

      func cancel() { source.cancel() }
    #endif
  }
#endif
