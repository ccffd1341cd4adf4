/// The indexes that make checked queries faster, with their costs.
package struct IndexAdvice: Hashable, Sendable, Encodable {
  /// An index to create.
  package struct Index: Hashable, Sendable, Encodable {
    package let name: String
    /// The database that contains the table, such as `main`.
    package let database: String
    package let table: String
    /// The statement that creates the index.
    package let sql: String
    package var serves: [Service] = []
    /// The existing indexes that the new index makes superfluous.
    package let replaces: [String]
    /// The costs of the index; nil if they were not measured.
    package var cost: Cost?
  }

  /// A query that an index makes faster.
  package struct Service: Hashable, Sendable, Encodable {
    package let file: String
    package let line: Int
    package let query: String
    /// The steps of the plan that the new indexes avoid.
    package let before: [String]
    /// The steps of the plan that use the new index.
    package let after: [String]
    /// The measured costs of the query; nil if they were not measured.
    package var gain: Gain?
    /// The reason why the costs could not be measured.
    package var unmeasured: String?
  }

  /// The costs of a query with all advised indexes, and without one of them.
  package struct Gain: Hashable, Sendable, Encodable {
    package let steps: Int
    package let stepsWithout: Int
    package let microseconds: Double
    package let microsecondsWithout: Double
  }

  /// The costs of an index.
  package struct Cost: Hashable, Sendable, Encodable {
    package let bytes: Int
    /// The size of the table; nil if the linked SQLite cannot measure it.
    package var tableBytes: Int?
    /// The additional steps of SQLite's virtual machine for each inserted row; nil if the table is empty.
    package var stepsPerInsert: Double?
    package var microsecondsPerInsert: Double?
  }

  /// An index that avoids steps of a plan, but is not worth its costs.
  package struct Dropped: Hashable, Sendable, Encodable {
    package let sql: String
    package let reason: String
  }

  package var indexes: [Index] = []
  package var dropped: [Dropped] = []
  /// The number of queries whose scans and sorts the indexes do not avoid.
  package var unservedCount = 0
}
