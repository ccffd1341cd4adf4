/// The types of requests that a node answers.
enum RequestKind: UInt8, CaseIterable {
  case leader = 0
  case client = 1
  case open = 3
  case prepare = 4
  case execute = 5
  case query = 6
  case finalize = 7
  case executeSQL = 8
  case querySQL = 9
  case interrupt = 10
  case connect = 11
  case add = 12
  case assign = 13
  case remove = 14
  case dump = 15
  case members = 16
  case transfer = 17
  case describe = 18
  case weight = 19

  /// A part of a request's body.
  enum Field {
    /// A word with any value.
    case word
    /// A word whose value has this maximum.
    case number(max: UInt64)
    /// A word with this value.
    case constant(UInt64)
    /// Text that ends with a NUL, padded to words.
    case text
    /// Text that is not empty.
    case name
    /// Nothing, or the number, the types and the values of parameters.
    case parameters
  }

  /// The parts of the body; dqlite ends the process of a node for some bodies that differ.
  var fields: [Field] {
    switch self {
    case .leader, .client, .finalize, .interrupt, .remove, .transfer, .weight: [.word]
    case .open: [.name, .word, .text]
    case .prepare: [.word, .text]
    case .execute, .query: [.word, .parameters]
    case .executeSQL, .querySQL: [.word, .text, .parameters]
    case .connect, .add: [.word, .name]
    case .assign: [.word, .number(max: 2)]
    case .dump: [.name]
    case .members: [.constant(1)]
    case .describe: [.constant(0)]
    }
  }

  /// The number of words of a body that always has the same number; nil for others.
  var size: Int? {
    var count = 0
    for field in fields {
      switch field {
      case .word, .number, .constant: count += 1
      case .text, .name, .parameters: return nil
      }
    }
    return count
  }

  /// Whether a client may send the request, which concerns its own work and the state of the cluster.
  var isForClients: Bool {
    switch self {
    case .leader, .client, .open, .prepare, .execute, .query, .finalize, .executeSQL, .querySQL,
      .interrupt, .dump, .members, .describe:
      true
    case .connect, .add, .assign, .remove, .transfer, .weight: false
    }
  }
}
