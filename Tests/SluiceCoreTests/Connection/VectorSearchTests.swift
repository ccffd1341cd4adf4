import Foundation
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// The shared library of sqlite-vec, if it is installed.
enum VectorLibrary {
  static let variable = "SQLITE_VEC_PATH"

  /// The path from the environment, or from the Python package `sqlite_vec`.
  static let path: String? = {
    if let path = ProcessInfo.processInfo.environment[variable] { return path }
    let python = Process()
    let output = Pipe()
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = ["python3", "-c", "import sqlite_vec; print(sqlite_vec.loadable_path())"]
    python.standardOutput = output
    python.standardError = FileHandle.nullDevice
    guard (try? python.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    let path = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return python.terminationStatus == 0 && !path.isEmpty ? path : nil
  }()
}

@Suite(
  .enabled(
    if: VectorLibrary.path != nil && SQLiteLibrary.has(.loadableExtensions),
    """
    sqlite-vec is not here: neither does SQLITE_VEC_PATH have its path, nor does python3 have the \
    package sqlite_vec
    """))
struct `vector search with sqlite-vec` {
  private let path: String

  init() throws { path = try #require(VectorLibrary.path) }

  @Test func `a search among 10,000 stored vectors finds the nearest five`() throws {
    let db = try Connection()
    try db.loadExtension(path: path)
    try db.execute(sql: "CREATE VIRTUAL TABLE item USING vec0(embedding float[8])")
    var generator = SeededGenerator(seed: 33)
    func vector() -> [Float] { (0..<8).map { _ in .random(in: -1...1, using: &generator) } }
    let vectors = (0..<10_000).map { _ in vector() }
    _ = try db.transaction { connection, _ in
      for (id, vector) in vectors.enumerated() {
        try connection.execute(
          sql: "INSERT INTO item(rowid, embedding) VALUES (?, ?)", parameters: .int(id),
          .floats(vector))
      }
    }
    let wanted = vector()
    func distance(_ other: [Float]) -> Float {
      zip(wanted, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    let nearest = vectors.indices.sorted { distance(vectors[$0]) < distance(vectors[$1]) }.prefix(5)
    let found = try db.query(
      .columns(.int, .floats),
      sql: "SELECT rowid, embedding FROM item WHERE embedding MATCH ? AND k = 5 ORDER BY distance",
      parameters: .floats(wanted))
    #expect(found.map(\.0) == Array(nearest))
    #expect(found.map(\.1) == nearest.map { vectors[$0] })
  }

  @Test func `a vector with another number of dimensions throws sqlite-vec's message`() throws {
    let db = try Connection()
    try db.loadExtension(path: path)
    try db.execute(sql: "CREATE VIRTUAL TABLE item USING vec0(embedding float[8])")
    let error = failure {
      try db.execute(
        sql: "INSERT INTO item(embedding) VALUES (?)", parameters: .floats([1, 2, 3]))
    }
    #expect(error?.message.contains("imension") == true)
  }
}
