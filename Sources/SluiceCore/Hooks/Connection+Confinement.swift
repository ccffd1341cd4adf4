extension Configuration {
  /// Modules of SQLite whose virtual tables store all their data in the database file.
  ///
  /// A confined connection uses only those that the program names; see ``Configuration/storedModules``.
  public enum StoredModule: Hashable, Sendable, CaseIterable {
    /// The full-text modules `fts3` and `fts4`, and `fts4aux`.
    case fts4
    /// The full-text module `fts5`, and `fts5vocab`.
    case fts5
    /// The modules `rtree` and `rtree_i32` of R*Tree indexes.
    case rtree
    /// The module `geopoly` of polygons.
    case geopoly

    fileprivate var names: [String] {
      switch self {
      case .fts4: ["fts3", "fts4", "fts4aux"]
      case .fts5: ["fts5", "fts5vocab"]
      case .rtree: ["rtree", "rtree_i32"]
      case .geopoly: ["geopoly"]
      }
    }
  }
}

/// Confines a connection to its file.
extension Connection {
  func confine(allowing modules: Set<Configuration.StoredModule>) throws {
    try setOption(.defensive, true)
    try setOption(.loadableExtensions, false)
    // If another program truncates a mapped file, reading the file terminates this process.
    try execute(sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    try removeModules(keeping: Confinement.modules + modules.flatMap(\.names))
    try authorize { Confinement.decide($0.action) }
  }
}

private enum Confinement {
  /// The modules that SQL can use without a virtual table in the file, and that show only data of their own database.
  static let modules = ["dbstat", "json_each", "json_tree"]
  /// The functions that access memory or files outside the database; some exist only in extended builds of SQLite.
  static let functions: Set = ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"]
  static let settings: Set = [
    "cell_size_check", "data_store_directory", "mmap_size", "temp_store_directory",
    "trusted_schema", "writable_schema",
  ]

  static func decide(_ action: AuthorizedAction) -> Authorization {
    switch action {
    case .attach, .detach, .other: .deny
    case .function(let name): functions.contains(name.lowercased()) ? .deny : .allow
    case .pragma(let name, _?): settings.contains(name.lowercased()) ? .deny : .allow
    default: .allow
    }
  }
}
