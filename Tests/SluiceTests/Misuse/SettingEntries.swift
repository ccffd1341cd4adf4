import Sluice
import TestSupport

extension MisuseMatrix {
  /// Members for the settings, the limits and the schema of a connection.
  static let settings: [Entry<Connection>] = [
    Entry("Connection.limit(_:)", .asks) { try $0.limit(.columns) },
    Entry("Connection.setLimit(_:to:)", .works) { try $0.setLimit(.triggerDepth, to: 10) },
    Entry("Connection.status(_:reset:)", .asks) { connection in
      for counter in SQLiteVersion.counters { _ = try connection.status(counter, reset: true) }
    },
    Entry("Connection.setLastInsertRowid(_:)", .asks) { try $0.setLastInsertRowid(1) },
    Entry("Connection.uriParameterNames(database:)", .asks) { try $0.uriParameterNames() },
    Entry("Connection.uriParameter(_:database:)", .asks) { try $0.uriParameter("a") },
    Entry("Connection.uriBoolean(_:default:database:)", .asks) { try $0.uriBoolean("a") },
    Entry("Connection.uriInteger(_:default:database:)", .asks) { try $0.uriInteger("a") },

    Entry("Connection.pragma(_:database:)", .works) { connection in
      _ = try connection.pragma(.journalMode)
      _ = try connection.pragma(.synchronous)
      _ = try connection.pragma(.mmapSize)
    },
    Entry("Connection.pragma(_:)", .works) { try $0.pragma(.encoding) },
    Entry("Connection.readOnly(_:)", .works) { try $0.readOnly { _ in } },
    Entry("Connection.setPragma(_:to:database:)", .works) {
      try $0.setPragma(.cacheSize, to: .pages(50))
    },
    Entry("Connection.setPragma(_:to:)", .works) { try $0.setPragma(.recursiveTriggers, to: true) },
    Entry("Connection.vacuum(database:pageSize:autoVacuum:)", whileAlone) {
      try $0.vacuum(autoVacuum: .full)
    },
    Entry("Connection.incrementalVacuum(pages:database:)", .works) {
      try $0.incrementalVacuum(pages: 1)
    },
    Entry("Connection.optimize(database:)", .works) { try $0.optimize() },
    Entry("Connection.pageCount(database:)", .works) { try $0.pageCount() },
    Entry("Connection.freePageCount(database:)", .works) { try $0.freePageCount() },
    Entry("Connection.dataVersion(database:)", .works) { try $0.dataVersion() },
    Entry("Connection.integrityProblems(database:isQuick:limit:)", .works) {
      try $0.integrityProblems()
    },
    Entry("Connection.foreignKeyViolations(of:database:)", .works) {
      try $0.foreignKeyViolations()
    },

    Entry("Connection.schemaObjects(_:database:)", .works) { try $0.schemaObjects() },
    Entry("Connection.tables(database:)", .works) { try $0.tables() },
    Entry("Connection.table(named:database:)", .works) { try $0.table(named: "t") },
    Entry("Connection.columns(of:database:)", .works) { try $0.columns(of: "t") },
    Entry("Connection.indexes(of:database:)", .works) { try $0.indexes(of: "t") },
    Entry("Connection.foreignKeys(of:database:)", .works) { try $0.foreignKeys(of: "t") },
  ]

  /// The call throws while a statement runs or is on a row.
  private static let whileAlone = Refusals.works.but(.atRow, .error).but(.whileLent, .error)
    .but(.inFunction, .error)
}
