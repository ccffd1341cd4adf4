import Sluice

extension MisuseMatrix {
  /// Members of a connection that record changes, or apply recorded changes.
  static let session: [Entry<Connection>] = [
    recording("Connection.session(schema:options:)") { $0 },
    recording("Session.connection") { $0.connection },
    recording("Session.schema") { $0.schema },
    recording("Session.options") { $0.options },
    recording("Session.attach(_:)") { try $0.attach("t") },
    recording("Session.isEnabled") { try $0.isEnabled },
    recording("Session.setEnabled(_:)") { try $0.setEnabled(false) },
    recording("Session.isIndirect") { try $0.isIndirect },
    recording("Session.setIndirect(_:)") { try $0.setIndirect(true) },
    recording("Session.isEmpty") { try $0.isEmpty },
    recording("Session.memoryUsed") { try $0.memoryUsed },
    recording("Session.changesetSize") { try $0.changesetSize },
    recording("Session.changeset()") { try $0.changeset() },
    recording("Session.patchset()") { try $0.patchset() },
    recording("Session.changeset(to:)") { try $0.changeset { _ in } },
    recording("Session.patchset(to:)") { try $0.patchset { _ in } },
    recording("Session.diff(from:table:)") { try $0.diff(from: "main", table: "t") },
    recording("Session.close()") { try $0.close() },
    working("Connection.session(tables:schema:options:)") { try $0.session(tables: ["t"]) },
    working("Connection.session(schema:options:where:)") { try $0.session { _ in true } },
    working("Connection.apply(_:inverted:options:onConflict:filter:)") {
      try $0.apply(Changeset(bytes: []))
    },
    working("Connection.apply(_:inverted:options:onConflict:filter:)") {
      try $0.apply(Changeset.Stream([]))
    },
    working("Connection.apply(_:options:onConflict:filter:)") {
      try $0.apply(Patchset(bytes: []))
    },
    working("Connection.apply(_:options:onConflict:filter:)") { try $0.apply(Patchset.Stream([])) },
    working("Connection.sql(for:schema:)", .asks) { try $0.sql(for: Changeset(bytes: [])) },
    working("Connection.upgraded(_:schema:)", .asks) { try $0.upgraded(Changeset(bytes: [])) },
  ]

  private static func working<Result>(
    _ symbol: String, _ refusals: Refusals = .works,
    _ use: @escaping @Sendable (Connection) throws -> Result
  ) -> Entry<Connection> {
    Entry(symbol, refusals.butClosed(needing: .sessions)) { try use($0) }
  }

  /// Returns an entry that creates a session and then uses it.
  private static func recording<Result>(
    _ symbol: String, _ use: @escaping @Sendable (Session) throws -> Result
  ) -> Entry<Connection> {
    working(symbol) { try use($0.session()) }
  }
}
