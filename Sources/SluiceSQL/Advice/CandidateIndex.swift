import Sluice

/// An index that the migrations do not create, but that could make a query faster.
struct CandidateIndex: Hashable, Sendable {
  /// A column or an expression that the index is sorted by.
  struct Term: Hashable, Sendable {
    let key: Key
    /// The collation that compares text; nil for that of the column, or `BINARY` for an expression.
    var collation: String?
    var isDescending = false
  }

  enum Key: Hashable, Sendable {
    case column(String)
    case expression(CandidateExpression)
  }

  let database: String
  let table: String
  var terms: [Term]
}

extension CandidateIndex {
  /// The maximum number of columns and expressions.
  static let maximumWidth = 4

  func isSameTable(as other: CandidateIndex) -> Bool {
    database == other.database && table == other.table
  }

  /// Returns whether the other index has all terms of this one at its beginning.
  func isPrefix(of other: CandidateIndex) -> Bool {
    isSameTable(as: other) && other.terms.starts(with: terms)
  }

  /// Returns the index with more terms, each key of them once; nil if it would have too many.
  func extended(by more: [Term]) -> CandidateIndex? {
    let keys = Set((terms + more).map(\.key))
    guard keys.count == terms.count + more.count, keys.count <= Self.maximumWidth else {
      return nil
    }
    return CandidateIndex(database: database, table: table, terms: terms + more)
  }

  /// Returns the statement that creates the index.
  func sql(named name: String) -> String {
    let terms = terms.map(\.sql)
    let schema = database == "main" ? "" : database.sqlName + "."
    return
      "CREATE INDEX \(schema)\(name.sqlName) ON \(table.sqlName)(\(terms.joined(separator: ", ")))"
  }

  /// Returns a name made of the table and the terms, and adds it to the lowercase names that are taken.
  func name(_ taken: inout Set<String>) -> String {
    let name = ([table] + terms.map(\.key.name)).joined(separator: "_")
    let names = [name] + (2...).lazy.prefix(taken.count + 1).map { "\(name)_\($0)" }
    let free = names.first { taken.insert($0.lowercased()).inserted }
    return free ?? name
  }
}

extension CandidateIndex.Term {
  fileprivate var sql: String {
    let key =
      switch key {
      case .column(let name): name.sqlName
      case .expression(let expression): collation == nil ? expression.sql : expression.operand
      }
    return key + (collation.map { " COLLATE \($0.sqlName)" } ?? "") + (isDescending ? " DESC" : "")
  }
}

extension CandidateIndex.Key {
  fileprivate var name: String {
    switch self {
    case .column(let name): name
    case .expression(let expression): expression.name
    }
  }
}

extension String {
  /// The name as SQL, in quotes only if SQL requires them.
  var sqlName: String {
    let isPlain = utf8.enumerated().allSatisfy { place, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): place > 0
      default: false
      }
    }
    return isPlain && !isEmpty && !SQLiteLibrary.isKeyword(self) ? self : quotedName
  }
}
