import Foundation

/// The locations of the folder and of its index.
struct Place: Sendable {
  /// The path of the folder, with symbolic links resolved.
  let folder: String
  /// The path of the database file.
  let database: String

  /// Checks that the folder exists, and creates the folder of the database if necessary.
  init(folder: String, database: String?) throws(Failure) {
    self.folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: self.folder) else {
      throw Failure("There is no folder \(folder.printable)")
    }
    guard attributes[.type] as? FileAttributeType == .typeDirectory else {
      throw Failure("\(folder.printable) is not a folder")
    }
    guard FileManager.default.isReadableFile(atPath: self.folder) else {
      throw Failure("The folder \(folder.printable) cannot be read")
    }
    let file =
      database.map { URL(fileURLWithPath: $0) }
      ?? URL(fileURLWithPath: self.folder).appending(path: ".codesearch/index.db")
    let parent = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    } catch {
      throw Failure("The folder \(parent.path.printable) for the database cannot be created")
    }
    guard !file.hasDirectoryPath else {
      throw Failure("\(file.path.printable) is a folder, not a database file")
    }
    self.database = parent.resolvingSymlinksInPath().appending(path: file.lastPathComponent).path
  }

  /// The paths of the database file and its companion files, which must not be indexed.
  var databaseFiles: Set<String> {
    Set(["", "-wal", "-shm", "-journal"].map { database + $0 })
  }
}
