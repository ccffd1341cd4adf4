import Foundation
package import Notes
import Synchronization

/// A connection of one client, which sends requests as lines of JSON, and receives the answers in any order.
///
/// A web framework would take the place of this class.
package final class Session: Sendable {
  private let service: NotesService
  private let write: @Sendable (_ line: String) -> Void
  private let tasks = Mutex<[Int: Running]>([:])

  private struct Running {
    let task: Task<Void, Never>
    let isLive: Bool
  }

  package init(_ service: NotesService, write: @escaping @Sendable (_ line: String) -> Void) {
    self.service = service
    self.write = write
  }

  /// Begins to answer a request, and returns at once.
  package func receive(_ line: String) {
    let request: Request
    do {
      request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
    } catch {
      let error = error as? NotesError ?? .invalid("The line is not a request")
      // The client can relate the answer to its request even if another field is wrong.
      let id = try? JSONDecoder().decode(RequestNumber.self, from: Data(line.utf8)).id
      return write(Response(id: id, error).line)
    }
    let isNew = tasks.withLock { tasks in
      guard tasks[request.id] == nil else { return false }
      let task = Task {
        await self.answer(request)
        self.tasks.withLock { $0[request.id] = nil }
      }
      tasks[request.id] = Running(task: task, isLive: request.action.isLive)
      return true
    }
    if !isNew {
      write(Response(id: request.id, .invalid("A request has the same number")).line)
    }
  }

  /// Returns when all requests have been answered.
  package func finish() async {
    while let task = tasks.withLock({ $0.values.first?.task }) { await task.value }
  }

  /// Cancels the live requests, which would not end by themselves.
  package func cancelLive() {
    for running in tasks.withLock({ Array($0.values) }) where running.isLive {
      running.task.cancel()
    }
  }

  private func answer(_ request: Request) async {
    do {
      try await perform(request)
    } catch {
      write(Response(id: request.id, NotesError(error)).line)
    }
  }

  private func send(_ answer: some Encodable, to request: Request) {
    write(Response(id: request.id, status: 200, answer: answer).line)
  }

  private func perform(_ request: Request) async throws {
    switch request.action {
    case .create(let draft):
      send(try await service.respond { try await $0.create(draft) }, to: request)
    case .read(let note):
      send(try await service.respond { try await $0.note(note) }, to: request)
    case .update(let note, let version, let title, let body):
      let note = try await service.respond {
        try await $0.update(note, version: version, title: title, body: body)
      }
      send(note, to: request)
    case .move(let note, let notebook):
      send(try await service.respond { try await $0.move(note, to: notebook) }, to: request)
    case .delete(let note):
      try await service.respond { try await $0.delete(note) }
      send(true, to: request)
    case .list(let page):
      send(try await service.respond { try await $0.page(page) }, to: request)
    case .search(let words):
      send(try await service.respond { try await $0.search(words) }, to: request)
    case .complete(let words): send(service.completions(of: words), to: request)
    case .live:
      for try await notes in try service.liveNotes() { send(notes, to: request) }
      // The sequence ends at the shutdown, and the client receives a last line.
      throw NotesError.shuttingDown
    case .overview: send(try await service.respond { try await $0.overview() }, to: request)
    case .health: send(await service.health(), to: request)
    case .metrics: send(service.metrics(), to: request)
    case .cancel(let number):
      let task = tasks.withLock { $0[number]?.task }
      task?.cancel()
      send(task != nil, to: request)
    }
  }
}
