import Foundation
import Sluice

extension MisuseMatrix {
  /// Members of a connection that decode rows or encode parameters.
  static let codable: [Entry<Connection>] = [
    Entry("Connection.codingStrategies", .never) { connection in
      connection.codingStrategies = CodingStrategies(dates: .julianDay)
      return connection.codingStrategies
    },
    Entry("Connection.query(_:sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.query(Int.self, sql: "SELECT ?", parameters: 1)
    },
    Entry("Connection.query(_:sql:parameters:)", .works) {
      try $0.query(Int.self, sql: "SELECT :a", parameters: ["a": 1])
    },
    Entry("Connection.query(_:_:)", .works) { try $0.query(Int.self, "SELECT \(1)") },
    Entry("Connection.first(_:sql:parameters:_:_:_:_:_:_:)", .works) {
      try $0.first(Int.self, sql: "SELECT ?", parameters: 1)
    },
    Entry("Connection.first(_:sql:parameters:)", .works) {
      try $0.first(Int.self, sql: "SELECT :a", parameters: ["a": 1])
    },
    Entry("Connection.first(_:_:)", .works) { try $0.first(Int.self, "SELECT \(1)") },
    Entry("Connection.execute(sql:encoding:)", .works) {
      try $0.execute(sql: "SELECT :a", encoding: ["a": 1])
    },
    Entry("Connection.parameter(encoding:)", .never) { try $0.parameter(encoding: [1]) },
    Entry("Connection.parameters(encoding:)", .never) { try $0.parameters(encoding: ["a": 1]) },
    Entry("StatementEncoder.parameter(for:)", .never) { _ in
      try StatementEncoder().parameter(for: [1])
    },
    Entry("StatementEncoder.parameters(for:)", .never) { _ in
      try StatementEncoder().parameters(for: ["a": 1])
    },
    Entry("RowDecoder.init(_:userInfo:)", .never) { _ in RowDecoder(CodingStrategies()) },
    Entry("StatementEncoder.init(_:userInfo:)", .never) { _ in
      StatementEncoder(CodingStrategies())
    },
  ]

  /// Members of a statement that decode rows or encode parameters.
  static let coding: [Entry<Statement>] = [
    Entry("Statement.codingStrategies", .never) { statement in
      statement.codingStrategies = CodingStrategies(dates: .julianDay)
      return statement.codingStrategies
    },
    Entry("Statement.query(_:)", .moves) { try $0.query(Int.self) },
    Entry("Statement.first(_:)", .moves) { try $0.first(Int.self) },
    Entry("RowConverter.decoding(_:by:)", .moves) { try $0.query(.decoding(Int.self)) },
    Entry("Statement.bind(encoding:)", .binds) { try $0.bind(encoding: ["other": "x"]) },
    Entry("StatementEncoder.encode(_:to:)", .binds) {
      try StatementEncoder().encode(["other": "x"], to: $0)
    },
  ]
}
