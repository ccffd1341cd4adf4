import Foundation
import Notes
import Sluice

/// A temporary folder with a database file, and services that use it.
final class Stage: Sendable {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "notes-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that remains is harmless.
    try? FileManager.default.removeItem(at: folder)
  }

  var file: String { folder.appending(path: "notes.db").path }

  /// Starts a service that waits a short time for locks, and a long time for everything else.
  func service(
    configuration: Configuration = Configuration(), busyTimeout: Duration = .milliseconds(20),
    timeLimit: Duration = .seconds(60)
  ) async throws -> NotesService {
    var configuration = configuration
    configuration.busyTimeout = busyTimeout
    return try await NotesService(
      path: file, timeLimit: timeLimit, configuration: configuration)
  }

  /// Runs `body` with a new service, and shuts the service down.
  func withService(
    configuration: Configuration = Configuration(),
    _ body: (_ service: NotesService) async throws -> Void
  ) async throws {
    let service = try await service(configuration: configuration)
    do {
      try await body(service)
    } catch {
      await service.shutDown(grace: .zero)
      throw error
    }
    await service.shutDown(grace: .zero)
  }
}

extension NotesService {
  /// Creates a note, with its title as the body.
  @discardableResult
  func create(_ title: String, in notebook: String = "Inbox") async throws -> Note {
    try await respond { try await $0.create(Draft(notebook: notebook, title: title, body: title)) }
  }

  /// Returns the error of a request, or nil if the request succeeds.
  func failure(
    _ body: (_ notes: NotesStore) async throws -> Void
  ) async -> NotesError? {
    do {
      try await respond(body)
      return nil
    } catch {
      return error as? NotesError
    }
  }
}
