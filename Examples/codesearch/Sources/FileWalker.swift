import Foundation

/// A file in the folder, with its size and modification date when it was found.
struct FoundFile: Sendable {
  /// The path relative to the folder.
  let path: String
  let size: Int
  let modified: Date
}

/// A walk that finds the files of a folder and its subfolders.
struct FileWalker {
  /// The names of folders whose contents are generated or downloaded by tools.
  private static let skippedFolders: Set = ["node_modules", "__pycache__", "DerivedData"]

  private(set) var files: [FoundFile] = []
  /// The paths of folders and files that cannot be read.
  private(set) var unreadable: [String] = []

  init(_ place: Place) {
    let ownFiles = place.databaseFiles
    var folders = [""]
    while let folder = folders.popLast() {
      let root = place.folder + "/" + folder
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: root) else {
        unreadable.append(folder)
        continue
      }
      for name in names where !ownFiles.contains(place.folder + "/" + folder + name) {
        look(at: folder + name, named: name, in: place, &folders)
      }
    }
  }

  private mutating func look(
    at path: String, named name: String, in place: Place, _ folders: inout [String]
  ) {
    // The attributes of a symbolic link describe the link itself, so the walk does not follow links in a cycle.
    guard
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: place.folder + "/" + path)
    else {
      unreadable.append(path)
      return
    }
    switch attributes[.type] as? FileAttributeType {
    case .typeDirectory? where !name.hasPrefix(".") && !Self.skippedFolders.contains(name):
      folders.append(path + "/")
    case .typeRegular?:
      files.append(
        FoundFile(
          path: path, size: attributes[.size] as? Int ?? 0,
          modified: attributes[.modificationDate] as? Date ?? .distantPast))
    default: break
    }
  }
}
