import Foundation
import SluiceTesting

/// Files in which one bit is flipped, which must never cause a crash or a hang.
struct CorruptFiles {
  let options: Options
  private var count: Int { options.isShort ? 1200 : 25_000 }

  init(_ options: Options) { self.options = options }

  func figures() throws -> [Figure] {
    if options.isCanary { try readMutants(isCanary: true) { _, _ in } }
    Watchdog.start()
    var figure = Figure("files with a wrong bit", "files")
    var found = 0
    try readMutants(isCanary: false) { error, place in
      figure.count += 1
      if error is SQLiteError { found += 1 } else if let error { figure.fail("\(place): \(error)") }
    }
    if found == 0 { figure.fail("none was found to be damaged") }
    // The canary crashes where it should throw, which this process has to detect.
    let status = try Child.run(
      ["--child"] + options.arguments(for: .corrupt, isCanary: true), isSilent: true)
    if case .signaled = status { figure.foundCanary = true } else { figure.foundCanary = false }
    return [figure]
  }

  private func readMutants(
    isCanary: Bool, _ body: ((any Error)?, _ place: String) throws -> Void
  ) throws {
    let memory = MemoryFileSystem()
    let files = try RegisteredFileSystem(memory)
    let connection = try files.connection("main.db")
    try connection.execute(sql: "PRAGMA page_size = 1024")
    try SceneDatabase.add(to: connection)
    for id in 10...60 {
      try connection.execute(
        "INSERT INTO person VALUES (\(id), \("name \(id)"), \([UInt8](repeating: 3, count: id * 20)))"
      )
    }
    try connection.close()
    let template = memory["main.db"] ?? []
    var random = SeededGenerator(seed: options.seed)
    for _ in 0..<count {
      let bit = mutatedBit(of: template, &random)
      Watchdog.hear("bit \(bit)")
      var mutant = template
      mutant[bit / 8] ^= 1 << UInt8(bit % 8)
      memory.removeAll()
      memory["main.db"] = mutant
      do {
        try use(files)
        try body(nil, "bit \(bit)")
      } catch {
        // The canary's mistake: it treats an error as impossible.
        if isCanary { fatalError("\(error)") }
        try body(error, "bit \(bit)")
      }
    }
  }

  /// Returns the index of a random bit.
  ///
  /// Half of the bits lie at the beginning of a page, which locates the rest of the page.
  private func mutatedBit(of bytes: [UInt8], _ random: inout SeededGenerator) -> Int {
    let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
    guard Bool.random(using: &random) else { return bit }
    return bit / 8192 * 8192 + bit % (128 * 8)
  }

  /// Reads and changes everything, as a program does with an untrusted file.
  private func use(_ files: RegisteredFileSystem) throws {
    var configuration = Configuration.untrusted(allowing: [.fts4, .fts5, .rtree, .geopoly])
    configuration.readOnly = false
    let connection = try files.connection("main.db", configuration: configuration)
    for table in try connection.tables() where table.kind == .table {
      _ = try connection.columns(of: table.name)
      _ = try connection.query(.values, sql: "SELECT * FROM \(table.name) LIMIT 100")
    }
    if SQLiteLibrary.has(.fts5) {
      _ = try connection.query(
        .values, "SELECT * FROM note WHERE note MATCH \(FTS5Pattern.allWords("fox"))")
    }
    _ = try connection.integrityProblems(isQuick: true)
    try connection.execute(sql: "SELECT name, picture FROM person ORDER BY name") { row in
      _ = try row.optional(.bytes, named: "picture")
    }
    try connection.execute(
      sql: "UPDATE person SET name = name || 'x'; DELETE FROM pair WHERE id = 1")
    try connection.close()
  }
}
