import Notes
import NotesCommand
import Sluice
import Synchronization
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(5))) struct `A session` {
  /// The lines that a session has written.
  private final class Answers: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Waits for a line that contains a text.
    func first(with text: String) async throws -> String {
      while true {
        if let line = lines.withLock({ $0.first { $0.contains(text) } }) { return line }
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test func `each request has its answer as a line of JSON`() async throws {
    try await Stage().withService { service in
      let answers = Answers()
      let session = Session(service) { answers.add($0) }
      session.receive(#"{"id": 1, "do": "create", "title": "Note G"}"#)
      let created = try await answers.first(with: #""id":1,"status""#)
      #expect(
        created
          == #"{"answer":{"body":"","id":1,"notebook":1,"title":"Note G","version":1},"id":1,"status":200}"#
      )
      session.receive(#"{"id": 2, "do": "read", "note": 7}"#)
      let missing = try await answers.first(with: #""id":2,"status""#)
      #expect(missing == #"{"error":"There is no note 7","id":2,"status":404}"#)
      session.receive(#"{"id": 3, "do": "health"}"#)
      let health = try await answers.first(with: #""id":3,"status""#)
      #expect(health == #"{"answer":{"isHealthy":true},"id":3,"status":200}"#)
      await session.finish()
    }
  }

  @Test(arguments: [
    "", "{", "[]", #"{"do": "read"}"#, #"{"id": "1", "do": "overview"}"#,
  ])
  func `a line that is not a request has an answer`(_ line: String) async throws {
    try await Stage().withService { service in
      let answers = Answers()
      let session = Session(service) { answers.add($0) }
      session.receive(line)
      let answer = try await answers.first(with: "status")
      #expect(answer == #"{"error":"The line is not a request","status":400}"#)
    }
  }

  @Test(arguments: [
    #"{"id": 1, "do": "read"}"#, #"{"id": 1, "do": "create", "title": null}"#, #"{"id": 1}"#,
  ])
  func `a request with a wrong field has an answer with its number`(_ line: String) async throws {
    try await Stage().withService { service in
      let answers = Answers()
      let session = Session(service) { answers.add($0) }
      session.receive(line)
      let answer = try await answers.first(with: "status")
      #expect(answer == #"{"error":"The line is not a request","id":1,"status":400}"#)
    }
  }

  @Test func `a live request has an answer for each change until it is cancelled`() async throws {
    try await Stage().withService { service in
      let answers = Answers()
      let session = Session(service) { answers.add($0) }
      session.receive(#"{"id": 1, "do": "live"}"#)
      _ = try await answers.first(with: #"{"answer":[],"id":1,"status":200}"#)
      session.receive(#"{"id": 1, "do": "health"}"#)
      _ = try await answers.first(with: "A request has the same number")
      try await service.create("Note G")
      _ = try await answers.first(with: #""title":"Note G","version":1}],"id":1"#)
      session.receive(#"{"id": 2, "do": "cancel", "request": 1}"#)
      _ = try await answers.first(with: #""id":1,"status":499"#)
      await session.finish()
    }
  }
}
