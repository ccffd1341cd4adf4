// The store of a service, mounted in an application of Vapor.

// snippet.hide
import Foundation

// snippet.show
extension Note: Content {}

func routes(_ app: Application, _ service: NotesService) {
  app.get("notes", ":id") { request async throws -> Note in
    guard let id = request.parameters.get("id", as: Int.self) else {
      throw Abort(.badRequest)
    }
    return try await answer { try await service.respond { try await $0.note(id) } }
  }
  app.post("notes") { request async throws -> Note in
    let draft = try request.content.decode(Draft.self)
    return try await answer {
      try await service.respond { try await $0.create(draft) }
    }
  }
  app.get("live") { request async throws -> Response in
    let live = try await answer { try service.liveNotes() }
    let body = Response.Body(managedAsyncStream: { writer in
      for try await notes in live {
        let json = String(decoding: try JSONEncoder().encode(notes), as: UTF8.self)
        try await writer.writeBuffer(ByteBuffer(string: "data: \(json)\n\n"))
      }
    })
    return Response(
      status: .ok, headers: ["content-type": "text/event-stream"], body: body)
  }
}

func answer<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
  do { return try await body() } catch let error as NotesError {
    throw Abort(HTTPResponseStatus(statusCode: error.status), reason: "\(error)")
  }
}
// snippet.hide

let app = Application()
routes(app, NotesService())
let read = try await app.answer("GET notes/:id", Request(id: "1"))
guard read == #"{"id":1,"title":"Note G"}"# else { fatalError("\(read)") }
let live = try await app.answer("GET live", Request(id: ""))
guard live.hasPrefix("data: [{"), live.hasSuffix("}]\n\n") else { fatalError("\(live)") }
for (id, status) in [("7", 404), ("x", 400)] {
  do {
    _ = try await app.answer("GET notes/:id", Request(id: id))
    fatalError()
  } catch let error as Abort {
    guard error.status.code == status else { fatalError() }
  }
}
_ = try await app.answer("POST notes", Request(id: ""))

// The shape of Vapor 4.

final class Application {
  private var routes: [String: (Request) async throws -> String] = [:]

  func get<Answer: AsyncResponseEncodable>(
    _ path: String..., use closure: @Sendable @escaping (Request) async throws -> Answer
  ) {
    routes["GET \(path.joined(separator: "/"))"] = { try await closure($0).text() }
  }

  func post<Answer: AsyncResponseEncodable>(
    _ path: String..., use closure: @Sendable @escaping (Request) async throws -> Answer
  ) {
    routes["POST \(path.joined(separator: "/"))"] = { try await closure($0).text() }
  }

  func answer(_ route: String, _ request: Request) async throws -> String {
    try await routes[route]?(request) ?? ""
  }
}

final class Request: Sendable {
  let parameters: Parameters
  let content = ContentContainer()
  init(id: String) { parameters = Parameters(id: id) }
}

struct Parameters: Sendable {
  let id: String
  func get<T: LosslessStringConvertible>(_ name: String, as type: T.Type = T.self) -> T? { T(id) }
}

struct ContentContainer: Sendable {
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: Data(#"{"title": "Note G"}"#.utf8))
  }
}

protocol AsyncResponseEncodable { func text() async throws -> String }

protocol Content: Codable, Sendable, AsyncResponseEncodable {}

extension Content {
  func text() async throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

struct HTTPHeaders: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, String)...) {}
}

struct HTTPResponseStatus: Sendable {
  let code: Int
  init(statusCode: Int) { code = statusCode }
  static var ok: Self { Self(statusCode: 200) }
  static var badRequest: Self { Self(statusCode: 400) }
}

final class Response: AsyncResponseEncodable {
  struct Body {
    let stream: @Sendable (any AsyncBodyStreamWriter) async throws -> Void
    init(managedAsyncStream: @Sendable @escaping (any AsyncBodyStreamWriter) async throws -> Void) {
      stream = managedAsyncStream
    }
  }

  private let body: Body
  init(status: HTTPResponseStatus, headers: HTTPHeaders, body: Body) { self.body = body }

  func text() async throws -> String {
    let writer = CollectingWriter()
    try await body.stream(writer)
    return await writer.text
  }
}

protocol AsyncBodyStreamWriter: Sendable {
  func writeBuffer(_ buffer: ByteBuffer) async throws
}

actor CollectingWriter: AsyncBodyStreamWriter {
  private(set) var text = ""
  func writeBuffer(_ buffer: ByteBuffer) { text += buffer.text }
}

struct Abort: Error {
  let status: HTTPResponseStatus
  init(_ status: HTTPResponseStatus, reason: String = "") { self.status = status }
}

struct ByteBuffer: Sendable {
  let text: String
  init(string: String) { text = string }
}

// The shape of the library of Examples/notes.

struct Note: Codable, Sendable {
  let id: Int
  let title: String
}

struct Draft: Codable, Sendable { let title: String }

struct NotesError: Error {
  let status: Int
}

struct NotesStore: Sendable {
  func create(_ draft: Draft) async throws -> Note { Note(id: 1, title: draft.title) }

  func note(_ id: Int) async throws -> Note {
    guard id == 1 else { throw NotesError(status: 404) }
    return Note(id: id, title: "Note G")
  }
}

struct NotesService: Sendable {
  func respond<Answer: Sendable>(
    _ body: (_ notes: NotesStore) async throws -> Answer
  ) async throws -> Answer {
    try await body(NotesStore())
  }

  func liveNotes() throws -> LiveNotes { LiveNotes() }
}

struct LiveNotes: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    var rest = 1

    mutating func next() async throws -> [Note]? {
      rest -= 1
      return rest < 0 ? nil : [Note(id: 1, title: "Note G")]
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
