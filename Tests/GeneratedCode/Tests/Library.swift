import Foundation
import Sluice

/// The database of the `.sql` files in this folder, with the program's functions, collation and tokenizer.
enum Library {
  /// Returns a connection to an in-memory database with all migrations applied.
  static func connection() throws -> Connection {
    let connection = try Connection(configuration: configuration)
    try Migrations.migrator().migrate(connection)
    return connection
  }

  /// Returns a pool with a database file in a folder, to which no migrations have been applied.
  static func pool(in folder: URL) throws -> ConnectionPool {
    try ConnectionPool(
      path: folder.appending(path: "library.db").path, readers: 2, configuration: configuration)
  }

  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.prepareConnection { connection in try prepare(connection) }
    return configuration
  }

  private static func prepare(_ connection: Connection) throws {
    try connection.addFunction("initials") { (name: String) in
      String(name.split(separator: " ").compactMap(\.first))
    }
    try connection.addAggregateFunction("product", arity: 1) { Product() }
    try connection.addCollation("by_number") {
      $0 < $1 ? .ascending : $0 > $1 ? .descending : .same
    }
    try connection.addTokenizer("stemmed") { text in
      text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
    }
  }

  private final class Product: SQLAggregateFunction {
    private var product: Double?
    func step(_ values: borrowing SQLFunctionArguments) throws {
      if case .real(let value) = try values[0] { product = (product ?? 1) * value }
    }
    func final() -> DatabaseValue { product.map { .real($0) } ?? .null }
  }
}
