import Foundation

/// A file in the folder, as it was when the folder was walked.
struct FoundFile: Sendable {
  /// The path inside the folder.
  let path: String
  let size: Int
  let modified: Date
}

/// Finds the files of a folder, and of the folders inside.
struct FileWalker {
  /// Folders that hold what tools have made, or fetched, rather than what somebody wrote.
  private static let skippedFolders: Set = ["node_modules", "__pycache__", "DerivedData"]

  private(set) var files: [FoundFile] = []
  /// The paths of folders and files that cannot be looked at.
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
    // The attributes of a symbolic link itself, so that no link leads into a circle.
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
