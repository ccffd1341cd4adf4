import Foundation
import Sluice
import SluiceData
import TestSupport

extension MisuseMatrix {
  /// Members that move data in and out of databases.
  static let data: [Entry<Connection>] = [
    Entry("Connection.dump(database:progress:to:)", .works) { try $0.dump { _ in } },
    Entry("Connection.dump(to:database:overwriting:progress:)", .works) {
      let folder = try TestFolder()
      try $0.dump(to: folder.url.appending(path: "d.sql"))
    },
    Entry("Connection.load(progress:from:)", outsideCallbacks) {
      var pieces = [Array("CREATE TABLE loaded(a)".utf8)]
      try $0.load { pieces.popLast() }
    },
    Entry("Connection.load(from:progress:)", outsideCallbacks) {
      let folder = try TestFolder()
      let url = folder.url.appending(path: "l.sql")
      try Data("CREATE TABLE loaded(a)".utf8).write(to: url)
      try $0.load(from: url)
    },
    Entry(
      "Connection.importRows(from:as:into:database:key:types:ignoresUnknownColumns:blobs:refusals:progress:)",
      .works
    ) { try $0.importRows(from: ["a\n1\n".utf8], as: .csv, into: "u") },
    Entry(
      "Connection.importRows(from:as:into:database:key:types:ignoresUnknownColumns:blobs:refusals:progress:)",
      .works
    ) {
      let folder = try TestFolder()
      let url = folder.url.appending(path: "u.csv")
      try Data("a\n1\n".utf8).write(to: url)
      try $0.importRows(from: url, into: "u")
    },
    Entry("Connection.exportRows(_:as:blobs:to:)", .works) {
      try $0.exportRows("SELECT a FROM u", as: .csv) { _ in }
    },
    Entry("Connection.exportRows(_:as:to:overwriting:blobs:)", .works) {
      let folder = try TestFolder()
      try $0.exportRows("SELECT a FROM u", to: folder.url.appending(path: "u.csv"))
    },
    Entry("Connection.text(of:as:)", .works) { try $0.text(of: "SELECT a FROM u") },
    Entry("Connection.schemaDiagram(of:database:includesViews:)", .works) {
      try $0.schemaDiagram()
    },
    Entry("DatabaseDiff.init(from:to:encryptionKey:)", .works) {
      let folder = try TestFolder()
      let url = folder.url.appending(path: "u.db")
      try Connection(url: url).execute(sql: "CREATE TABLE u(a)")
      return try DatabaseDiff(from: $0, to: url)
    },
    Entry("DatabaseDiff.init(_:from:to:)", .works) { try DatabaseDiff($0, to: "main") },
    Entry("DatabaseDiff.isEmpty", .works) { try DatabaseDiff($0, to: "main").isEmpty },
    Entry("DatabaseDiff.summary()", .works) { try DatabaseDiff($0, to: "main").summary() },
    Entry("DatabaseDiff.forEachRowChange(_:)", .works) {
      try DatabaseDiff($0, to: "main").forEachRowChange { _ in }
    },
    Entry("DatabaseDiff.writeSQL(_:)", .works) {
      try DatabaseDiff($0, to: "main").writeSQL { _ in }
    },
    Entry("DatabaseDiff.writeSQL(to:overwriting:)", .works) {
      let folder = try TestFolder()
      return try DatabaseDiff($0, to: "main").writeSQL(to: folder.url.appending(path: "d.sql"))
    },
    Entry("DatabaseDiff.close()", .works) { try DatabaseDiff($0, to: "main").close() },
    Entry("DatabaseDiff.connection", .works) { try DatabaseDiff($0, to: "main").connection },
    Entry("DatabaseDiff.from", .works) { try DatabaseDiff($0, to: "main").from },
    Entry("DatabaseDiff.to", .works) { try DatabaseDiff($0, to: "main").to },
    Entry("DatabaseDiff.schemaChanges", .works) {
      try DatabaseDiff($0, to: "main").schemaChanges
    },
    Entry("DatabaseDiff.uncomparedTables", .works) {
      try DatabaseDiff($0, to: "main").uncomparedTables
    },
  ]

  /// A script runs in a transaction of its own, which a callback cannot begin.
  private static let outsideCallbacks = Refusals.works.but(.inFunction, .misuse)
}
