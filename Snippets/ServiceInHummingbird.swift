// The store of a service, mounted in a router of Hummingbird.

// snippet.hide
import Foundation

// snippet.show
extension Note: ResponseEncodable {}

func router(for service: NotesService) -> Router<BasicRequestContext> {
  let router = Router()
  router.get("notes/:id") { _, context in
    let id = try context.parameters.require("id", as: Int.self)
    return try await answer { try await service.respond { try await $0.note(id) } }
  }
  router.post("notes") { request, context in
    let draft = try await request.decode(as: Draft.self, context: context)
    return try await answer {
      try await service.respond { try await $0.create(draft) }
    }
  }
  router.get("live") { _, _ in
    let events = try await answer { try service.liveNotes() }.map { notes in
      let json = try JSONEncoder().encode(notes)
      return ByteBuffer(string: "data: \(String(decoding: json, as: UTF8.self))\n\n")
    }
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: ResponseBody(asyncSequence: events))
  }
  return router
}

func answer<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
  do { return try await body() } catch let error as NotesError {
    throw HTTPError(HTTPResponse.Status(code: error.status), message: "\(error)")
  }
}
// snippet.hide

let routes = router(for: NotesService()).routes
let read = try await routes["GET notes/:id"]?(Request(), BasicRequestContext(id: "1"))
guard try await read?.body.write() == #"{"id":1,"title":"Note G"}"# else { fatalError() }
let live = try await routes["GET live"]?(Request(), BasicRequestContext(id: ""))
let text = try await live?.body.write() ?? ""
guard text.hasPrefix("data: [{"), text.hasSuffix("}]\n\n") else { fatalError(text) }
do {
  _ = try await routes["GET notes/:id"]?(Request(), BasicRequestContext(id: "7"))
  fatalError()
} catch let error as HTTPError {
  guard error.status.code == 404 else { fatalError() }
}
_ = try await routes["POST notes"]?(Request(), BasicRequestContext(id: ""))

// The shape of Hummingbird 2.

final class Router<Context: RequestContext> {
  typealias Route = @Sendable (Request, Context) async throws -> Response
  private(set) var routes: [String: Route] = [:]

  init(context: Context.Type = BasicRequestContext.self) {}

  func get(
    _ path: String,
    use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) {
    routes["GET \(path)"] = { try await handler($0, $1).response(from: $0, context: $1) }
  }

  func post(
    _ path: String,
    use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
  ) {
    routes["POST \(path)"] = { try await handler($0, $1).response(from: $0, context: $1) }
  }
}

protocol RequestContext: Sendable {
  var parameters: Parameters { get }
}

struct BasicRequestContext: RequestContext {
  let parameters: Parameters
  init(id: String) { parameters = Parameters(id: id) }
}

struct Parameters: Sendable {
  let id: String

  func require<T: LosslessStringConvertible>(_ name: String, as type: T.Type) throws -> T {
    guard let value = T(id) else { throw HTTPError(HTTPResponse.Status(code: 400)) }
    return value
  }
}

struct Request: Sendable {
  func decode<T: Decodable>(as type: T.Type, context: some RequestContext) async throws -> T {
    try JSONDecoder().decode(type, from: Data(#"{"title": "Note G"}"#.utf8))
  }
}

protocol ResponseGenerator: SendableMetatype {
  func response(from request: Request, context: some RequestContext) async throws -> Response
}

protocol ResponseEncodable: Encodable, ResponseGenerator {}

extension ResponseEncodable {
  func response(from request: Request, context: some RequestContext) async throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(self), as: UTF8.self)
    return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

struct Response: ResponseGenerator, Sendable {
  let status: HTTPResponse.Status
  var headers: [HTTPField: String] = [:]
  let body: ResponseBody

  func response(from request: Request, context: some RequestContext) async throws -> Response {
    self
  }
}

enum HTTPField { case contentType }

enum HTTPResponse {
  struct Status: Sendable {
    let code: Int
    static var ok: Status { Status(code: 200) }
  }
}

struct HTTPError: Error {
  let status: HTTPResponse.Status
  init(_ status: HTTPResponse.Status, message: String = "") { self.status = status }
}

struct ByteBuffer: Sendable {
  let text: String
  init(string: String) { text = string }
}

struct ResponseBody: Sendable {
  let write: @Sendable () async throws -> String

  init(byteBuffer: ByteBuffer) { write = { byteBuffer.text } }

  init<Buffers: AsyncSequence & Sendable>(asyncSequence: Buffers)
  where Buffers.Element == ByteBuffer {
    write = { try await asyncSequence.reduce("") { $0 + $1.text } }
  }
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
