/// What keeps a connection to its file.
extension Connection {
  func confine() throws {
    try setOption(.defensive, true)
    try setOption(.loadableExtensions, false)
    // A file that gets shorter while it is mapped ends the process.
    try execute(sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    try removeModules(keeping: Confinement.modules)
    try authorize { Confinement.decide($0.action) }
  }
}

private enum Confinement {
  /// Modules whose tables have what they show from the database that they are in.
  static let modules = [
    "dbstat", "fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "geopoly", "json_each", "json_tree",
    "rtree", "rtree_i32",
  ]
  /// Functions that reach beyond the database, some of which are there only in libraries with more than SQLite's own.
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
