import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `dates and UUIDs as arguments of functions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addFunction("seconds") { (date: Date) in date.timeIntervalSince1970 }
    try connection.addFunction("is_known") { (date: Date?, id: UUID?) in
      (date == nil ? 0 : 1) + (id == nil ? 0 : 2)
    }
    try connection.addFunction("text_of") { (id: UUID) in id.uuidString }
  }

  private func first<T>(_ column: ColumnValueConverter<T>, _ sql: String) throws -> T? {
    try connection.first(.column(column), sql: sql)
  }

  @Test func `a date has the form of the connection's strategies, also after they have changed`()
    throws
  {
    #expect(try first(.double, "SELECT seconds('2001-01-01 00:00:00.000')") == 978_307_200)
    connection.codingStrategies.dates = .timeIntervalSince1970
    #expect(try first(.double, "SELECT seconds(12.5)") == 12.5)
    connection.codingStrategies.dates = .julianDay
    #expect(try first(.double, "SELECT seconds(julianday('1970-01-02'))") == 86_400)
  }

  @Test func `the strategies of a configuration hold in its connections`() throws {
    var configuration = Configuration()
    configuration.codingStrategies = CodingStrategies(dates: .millisecondsSince1970)
    let connection = try Connection(configuration: configuration)
    try connection.addFunction("seconds") { (date: Date) in date.timeIntervalSince1970 }
    #expect(try connection.first(.column(.double), "SELECT seconds(1500)") == 1.5)
  }

  @Test func `a result has the form of the connection's strategies`() throws {
    try connection.addFunction("later") { (date: Date?) in date?.addingTimeInterval(1) }
    try connection.addFunction("same") { (id: UUID) in id }
    let day = "2001-01-01 00:00:0"
    #expect(try first(.string, "SELECT later('\(day)0.000')") == "\(day)1.000")
    #expect(try first(.optional(.string), "SELECT later(NULL)") == .some(nil))
    connection.codingStrategies = CodingStrategies(dates: .timeIntervalSince1970)
    connection.codingStrategies.uuids = .bytes
    #expect(try first(.double, "SELECT later(7)") == 8)
    #expect(try first(.int, "SELECT length(same('\(UUID())'))") == 16)
  }

  @Test func `an aggregate reads dates in the form of the connection's strategies`() throws {
    final class Newest: SQLAggregateFunction {
      private var newest = Date.distantPast
      func step(_ values: borrowing SQLFunctionArguments) throws {
        let other = try values.optional(.date(as: .timeIntervalSince1970), at: 1)
        newest = max(newest, try values.get(at: 0), other ?? .distantPast)
      }
      func final() throws -> DatabaseValue {
        try DatabaseValue(.date(newest, as: .timeIntervalSince1970))
      }
    }
    try connection.addAggregateFunction("newest", arity: 2) { Newest() }
    connection.codingStrategies.dates = .timeIntervalSince1970
    #expect(
      try first(.double, "SELECT newest(column1, column2) FROM (VALUES (1, NULL), (2, 3))") == 3)
  }

  @Test func `a UUID is text or a blob`() throws {
    let id = UUID()
    for form in [UUIDStrategy.text, .lowercaseText, .bytes] {
      let text = try connection.first(.column(.string), "SELECT text_of(\(.uuid(id, as: form)))")
      #expect(text == id.uuidString)
    }
  }

  @Test func `NULL is nil for an optional argument, and throws for another one`() throws {
    #expect(try first(.int, "SELECT is_known(NULL, NULL)") == 0)
    #expect(try first(.int, "SELECT is_known('2001-01-01 00:00:00.000', randomblob(16))") == 3)
    #expect(failure { try first(.double, "SELECT seconds(NULL)") }?.code == .mismatch)
    #expect(failure { try first(.string, "SELECT text_of(NULL)") }?.code == .mismatch)
  }

  @Test(arguments: [
    "seconds('today')", "seconds(x'00')", "text_of('1234')", "text_of(x'1234')", "text_of(7)",
  ])
  func `an argument in another form throws, with the name of the function`(_ call: String) throws {
    let error = failure { try first(.value, "SELECT \(call)") }
    #expect(error?.code == .mismatch)
    let name = try #require(call.split(separator: "(").first)
    #expect(error?.message.hasPrefix("\(name): Argument 1 ") == true, "\(error?.message ?? "")")
    #expect(error?.sql == "SELECT \(call)")
  }

  @Test func `a closed connection's strategies are released`() throws {
    final class Token: Sendable {}
    weak var token: Token?
    do {
      let connection = try Connection()
      let strong = Token()
      token = strong
      var strategies = CodingStrategies()
      strategies.dates = .custom(
        encode: { _ in
          _ = strong
          return .null
        },
        decode: { _ in
          _ = strong
          return Date()
        })
      connection.codingStrategies = strategies
      try connection.addFunction("seconds") { (date: Date) in date.timeIntervalSince1970 }
      #expect(token != nil)
    }
    #expect(token == nil)
  }
}
