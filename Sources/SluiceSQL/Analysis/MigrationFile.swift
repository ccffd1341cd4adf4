import Foundation
import Sluice

/// A file with a step.
package struct MigrationFile: Sendable {
  let number: Int
  let name: String
  let source: SourceText
  let migration: Migration
}

/// A folder with the steps of a database that a program attaches, named as the program does.
package struct AttachedFolder: Sendable {
  let name: String
  let folder: URL
  let migrations: [MigrationFile]

  /// Nil if the name is SQLite's, or cannot be that of a type in Swift.
  init?(_ name: String, _ folder: URL, _ migrations: [MigrationFile]) {
    guard !["main", "temp"].contains(name.lowercased()), name.propertyLabel != nil else {
      return nil
    }
    self.name = name
    self.folder = folder
    self.migrations = migrations
  }

  /// The type that has its steps.
  var typeName: String { (name.propertyLabel ?? name).capitalizedFirst.escaped }
}
