import Notes

/// The number of a request whose other fields may be wrong.
struct RequestNumber: Decodable {
  let id: Int
}

/// A line of input, such as `{"id": 1, "do": "read", "note": 7}`.
struct Request: Decodable {
  /// The number that the client has chosen, which the answer repeats.
  let id: Int
  let action: Action

  enum Action {
    case create(Draft)
    case read(note: Int)
    case update(note: Int, version: Int, title: String, body: String)
    case move(note: Int, notebook: String)
    case delete(note: Int)
    case list(page: Int)
    case search(words: String)
    case complete(words: String)
    case live
    case overview
    case health
    case metrics
    /// Withdraws a request that is in progress.
    case cancel(request: Int)

    var isLive: Bool { if case .live = self { true } else { false } }
  }

  private enum CodingKeys: String, CodingKey {
    case id, `do`, note, version, title, body, notebook, page, words, request
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func number(_ key: CodingKeys) throws -> Int { try values.decode(Int.self, forKey: key) }
    func text(_ key: CodingKeys) throws -> String { try values.decode(String.self, forKey: key) }

    id = try number(.id)
    switch try text(.do) {
    case "create": action = .create(try Draft(from: decoder))
    case "read": action = .read(note: try number(.note))
    case "update":
      action = .update(
        note: try number(.note), version: try number(.version), title: try text(.title),
        body: try text(.body))
    case "move": action = .move(note: try number(.note), notebook: try text(.notebook))
    case "delete": action = .delete(note: try number(.note))
    case "list": action = .list(page: try values.decodeIfPresent(Int.self, forKey: .page) ?? 1)
    case "search": action = .search(words: try text(.words))
    case "complete": action = .complete(words: try text(.words))
    case "live": action = .live
    case "overview": action = .overview
    case "health": action = .health
    case "metrics": action = .metrics
    case "cancel": action = .cancel(request: try number(.request))
    case let other: throw NotesError.invalid("There is no request \(other)")
    }
  }
}
