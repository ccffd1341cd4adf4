import Sluice

extension MisuseMatrix {
  /// Members of the statement of a ``MisuseFixture``.
  static let statement: [Entry<Statement>] = [
    Entry("Statement.sql", .never) { $0.sql },
    Entry("Statement.connection", .never) { $0.connection },
    Entry("Statement.columnCount", .never) { $0.columnCount },
    Entry("Statement.columnNames", .never) { $0.columnNames },
    Entry("Statement.index(named:)", .asks) { try $0.index(named: "id") },
    Entry("Statement.parameterCount", .never) { $0.parameterCount },
    Entry("Statement.parameterNames", .never) { $0.parameterNames },

    Entry("Statement.declaredType(at:)", .asks) { try $0.declaredType(at: 0) },
    Entry("Statement.declaredTypes", .asks) { try $0.declaredTypes },
    Entry("Statement.isReadOnly", .asks) { try $0.isReadOnly },
    Entry("Statement.isBusy", .asks) { try $0.isBusy },
    Entry("Statement.explainMode", .asks) { try $0.explainMode },
    Entry("Statement.expandedSQL", .asks) { try $0.expandedSQL },
    Entry("Statement.count(of:reset:)", .asks) { try $0.count(of: .repreparations, reset: true) },
    Entry("Statement.columnOrigins", .asks.needing(.columnMetadata)) { try $0.columnOrigins },
    Entry("Statement.normalizedSQL", .asks.needing(.normalizedSQL)) { try $0.normalizedSQL },
    Entry("Statement.scanStatus", .asks.needing(.scanStatus)) { try $0.scanStatus },
    Entry("Statement.resetScanStatus()", .asks.needing(.scanStatus)) { try $0.resetScanStatus() },
    Entry("Statement.memoryUsed", .asks) { try $0.memoryUsed },
    Entry("Statement.queryPlan()", .works) { try $0.queryPlan() },

    Entry("Statement.step()", .moves) { try $0.step() },
    Entry("Statement.step()", .moves) { try $0.step() as RowValues? },
    Entry("Statement.withUnsafeHandle(_:)", .moves) { try unsafe $0.withUnsafeHandle { _ in } },
    Entry("Statement.execute()", .moves) { try $0.execute() },
    Entry("Statement.reset()", .moves) { try $0.reset() },
    Entry("Statement.forEachRow(_:)", .moves) { try $0.forEachRow { _ in } },
    Entry("Statement.map(_:)", .moves) { try $0.map { $0.indices.count } },
    Entry("Statement.query(_:)", .moves) { try $0.query(.values) },
    Entry("Statement.first(_:)", .moves) { try $0.first(.values) },
    Entry("Statement.rows()", .moves) { try $0.rows() },

    Entry("RowConverter.init(_:)", .moves) {
      try $0.query(RowConverter { row in try row.value(at: 0) })
    },
    Entry("RowConverter.column(_:at:)", .moves) { try $0.query(.column(.int)) },
    Entry("RowConverter.column(_:named:)", .moves) {
      try $0.query(.column(.int, named: $0.columnNames.first ?? "a"))
    },
    Entry("RowConverter.columns(_:_:_:)", .moves) { try $0.query(.columns(.int, .string, .bytes)) },
    Entry("RowConverter.columns(_:_:_:)", .moves) {
      try $0.query(.columns(.int, .string, .bytes, .value))
    },
    Entry("RowConverter.columns(_:_:)", .moves) { try $0.query(.columns(.int, .string)) },
    Entry("RowConverter.values", .moves) { try $0.first(.values) },

    Entry("Statement.bind(_:_:_:_:_:_:_:)", .binds) {
      try beyondLast($0.bind("x", 2, 3, 4, 5, 6, 7, 8))
    },
    Entry("Statement.bind(_:)", .binds) { try $0.bind(["x"]) },
    Entry("Statement.bind(_:toParameter:)", .binds) { try $0.bind("x", toParameter: "other") },
    Entry("Statement.bind(_:toParameter:)", .binds) { try $0.bind("x", toParameter: 1) },
    Entry("Statement.clearBindings()", .binds) { try $0.clearBindings() },
  ]
}

/// Ignores the error that the statement has only one parameter: the first value is bound.
private func beyondLast(_ binding: @autoclosure () throws -> Statement) throws {
  do { _ = try binding() } catch let error as SQLiteError where error.code == .range {}
}
