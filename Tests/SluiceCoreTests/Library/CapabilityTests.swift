import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.library)) struct `SQLite capabilities` {
  @Test(
    arguments: [
      (.columnMetadata, "ENABLE_COLUMN_METADATA"), (.normalizedSQL, "ENABLE_NORMALIZE"),
      (.preUpdateHook, "ENABLE_PREUPDATE_HOOK"), (.scanStatus, "ENABLE_STMT_SCANSTATUS"),
      (.sessions, "ENABLE_SESSION"), (.snapshots, "ENABLE_SNAPSHOT"),
      (.unlockNotify, "ENABLE_UNLOCK_NOTIFY"), (.encryption, "HAS_CODEC"),
      (.dbstat, "ENABLE_DBSTAT_VTAB"), (.fts4, "ENABLE_FTS4"), (.fts5, "ENABLE_FTS5"),
      (.geopoly, "ENABLE_GEOPOLY"), (.mathFunctions, "ENABLE_MATH_FUNCTIONS"),
      (.rtree, "ENABLE_RTREE"),
    ] as [(SQLiteCapability, String)])
  func `the library has exactly the capabilities that its compile options enable`(
    capability: SQLiteCapability, option: String
  ) {
    let options = SQLiteLibrary.compileOptions.map { $0.prefix { $0 != "=" } }
    // The compile option of FTS3 includes FTS4, and the option of Geopoly includes R*Trees.
    let others: [SQLiteCapability: Substring] = [.fts4: "ENABLE_FTS3", .rtree: "ENABLE_GEOPOLY"]
    let isBuiltIn =
      options.contains(Substring(option)) || others[capability].map(options.contains) == true
    #expect(SQLiteLibrary.has(capability) == isBuiltIn)
  }

  @Test(
    arguments: [
      (.json, "SELECT json('[1]')"), (.jsonb, "SELECT jsonb('[1]')"),
      (.mathFunctions, "SELECT sin(1)"),
      (.fts5, "CREATE VIRTUAL TABLE t USING fts5(a)"),
      (.fts4, "CREATE VIRTUAL TABLE t USING fts4(a)"),
      (.rtree, "CREATE VIRTUAL TABLE t USING rtree(a, b, c)"),
      (.geopoly, "CREATE VIRTUAL TABLE t USING geopoly(a)"), (.dbstat, "SELECT * FROM dbstat"),
    ] as [(SQLiteCapability, String)])
  func `SQL that needs a capability succeeds only if the library has the capability`(
    capability: SQLiteCapability, sql: String
  )
    throws
  {
    let db = try Connection()
    #expect((failure { try db.execute(sql: sql) } == nil) == SQLiteLibrary.has(capability))
  }

  @Test func `version-dependent capabilities match the version number`() {
    #expect(SQLiteLibrary.has(.errorOffset) == (SQLiteLibrary.versionNumber >= 3_038_000))
    #expect(SQLiteLibrary.has(.interruptState) == (SQLiteLibrary.versionNumber >= 3_041_000))
    #expect(SQLiteLibrary.has(.json))
    #expect(SQLiteLibrary.has(.jsonb) == (SQLiteLibrary.versionNumber >= 3_045_000))
  }

  @Test(arguments: SQLiteCapability.allCases)
  func `requiring a missing capability throws an error that names the needed build`(
    capability: SQLiteCapability
  ) {
    let error = failure { try SQLiteLibrary.require(capability) }
    guard !SQLiteLibrary.has(capability) else {
      #expect(error == nil)
      return
    }
    #expect(error?.code == .notFound)
    #expect(
      error?.message.hasPrefix(
        "The linked SQLite \(SQLiteLibrary.version) lacks \(capability); it needs a build with ")
        == true)
  }

  @Test func `each known defect affects the linked SQLite version`() {
    let defects = SQLiteLibrary.knownDefects
    #expect(Set(defects.map(\.name)).count == defects.count)
    for defect in defects {
      #expect(defect.versions.contains(SQLiteLibrary.versionNumber))
      #expect(defect.affects(version: SQLiteLibrary.versionNumber))
      #expect(defect.summary.hasSuffix("."))
    }
  }
}
