import SluiceCore
import TestSupport
import Testing

private enum Grape: String, SQLValue, CaseIterable { case merlot, syrah }
private enum Rank: Int, SQLValue {
  case low = 1
  case high = 9
}
private struct Slug: RawRepresentable, SQLValue, Equatable { var rawValue: String }

/// Types with raw values conform to `SQLValue` without members of their own.
@Suite struct RawRepresentableValueTests {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute("CREATE TABLE wine(grape, rank)")
  }

  @Test func `the raw value is stored and read`() throws {
    try connection.execute("INSERT INTO wine VALUES (\(Grape.syrah), \(Rank.high))")
    #expect(
      try connection.first(.values, "SELECT *, typeof(grape), typeof(rank) FROM wine")?.values
        == ["syrah", 9, "text", "integer"])
    try connection.execute("SELECT grape, rank FROM wine") { row in
      let (grape, rank): (Grape, Rank) = (try row["grape"], try row[1])
      #expect(grape == .syrah && rank == .high)
      #expect(try row.get(.default, at: 0) == Slug(rawValue: "syrah"))
    }
    #expect(
      try connection.query(.columns(.default, .default), "SELECT grape, rank FROM wine").map {
        (pair: (Grape, Rank)) in pair.0
      } == [.syrah])
  }

  @Test func `NULL is nil for an optional, and a mismatch otherwise`() throws {
    let none: Grape? = nil
    try connection.execute("INSERT INTO wine VALUES (\(none), \(Rank?.some(.low)))")
    try connection.execute("SELECT grape, rank FROM wine") { row in
      let (grape, rank): (Grape?, Rank?) = (try row["grape"], try row["rank"])
      #expect(grape == nil && rank == .low)
      #expect(failure { let _: Grape = try row["grape"] }?.code == .mismatch)
    }
  }

  @Test func `a value that no case has is a mismatch`() throws {
    try connection.execute(
      "INSERT INTO wine VALUES ('pinot', 2), (7, 'x'), (x'6d65726c6f74', '9.0')")
    let pairs = try connection.query(.values, "SELECT grape, rank FROM wine ORDER BY rowid")
    #expect(pairs.map { Grape(databaseValue: $0.values[0]) } == [nil, nil, .merlot])
    #expect(pairs.map { Rank(databaseValue: $0.values[1]) } == [nil, nil, .high])
    #expect(
      failure {
        let grapes: [Grape] = try connection.query(.column(.default), "SELECT grape FROM wine")
        Issue.record("\(grapes)")
      }?.code == .mismatch)
  }

  @Test func `arrays and parameters are bound as raw values`() throws {
    try connection.execute("INSERT INTO wine VALUES ('merlot', 1), ('syrah', 9), ('pinot', 2)")
    #expect(
      try connection.first(
        .column(.int), "SELECT count(*) FROM wine WHERE grape IN \(Grape.allCases)") == 2)
    let statement = try connection.prepare(
      "SELECT count(*) FROM wine WHERE grape = :grape AND rank = ?2")
    try statement.bind(Grape.merlot, toParameter: ":grape").bind(Rank.low, toParameter: 2)
    #expect(try statement.first(.column(.int)) == 1)
    #expect(
      try connection.first(
        .column(.int), sql: "SELECT rank FROM wine WHERE grape = ?", parameters: Grape.syrah) == 9)
  }

  @Test func `functions have arguments and results with raw values`() throws {
    try connection.addFunction("rank_of") { (grape: Grape, rank: Rank?) -> Rank in
      grape == .merlot ? rank ?? .low : .high
    }
    #expect(try connection.first(.column(.default), "SELECT rank_of('syrah', NULL)") == Rank.high)
    #expect(try connection.first(.column(.default), "SELECT rank_of('merlot', '1')") == Rank.low)
    #expect(failure { try connection.execute("SELECT rank_of('pinot', 1)") }?.code == .mismatch)
    #expect(failure { try connection.execute("SELECT rank_of('merlot', 3)") }?.code == .mismatch)
    #expect(failure { try connection.execute("SELECT rank_of(NULL, 1)") }?.code == .mismatch)
  }
}
