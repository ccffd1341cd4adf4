import Foundation

/// A folder with the authority of a cluster, and a folder for each of its nodes and clients.
public struct KeyRing: Sendable {
  /// A certificate in the folder.
  public struct Entry: Hashable, Sendable {
    /// The folder of the certificate.
    public let folder: KeyFolder
    /// The date on which the certificate expires.
    public let expiry: String
  }

  public let path: String

  public init(_ path: String) { self.path = path }

  private var authority: KeyFolder { KeyFolder(path + "/authority") }

  /// Whether the folder has an authority already.
  public var hasAuthority: Bool { FileManager.default.fileExists(atPath: authority.path) }

  /// Makes the certificates of the owners, and the authority if there is none yet.
  ///
  /// A folder appears only when all of its files are complete.
  ///
  /// - Throws: ``DoorError`` if the certificate of an owner exists already; then, nothing is made.
  public func make(
    _ owners: [Authority.Owner], days: Int, authorityDays: Int
  ) throws -> [Entry] {
    for owner in owners {
      let folder = path + "/" + owner.folder
      guard !FileManager.default.fileExists(atPath: folder) else {
        throw DoorError(
          "\(folder) exists already; move it away to make a new certificate for the same owner")
      }
    }
    if !FileManager.default.fileExists(atPath: path) { try KeyFiles.createFolder(path) }
    var entries: [Entry] = []
    if !hasAuthority {
      try complete(authority) { _ = try Authority(creating: $0, days: authorityDays) }
      entries.append(try entry(authority))
    }
    let signer = try Authority(folder: authority)
    for owner in owners {
      let folder = KeyFolder(path + "/" + owner.folder)
      try complete(folder) { try signer.issue(owner, to: $0, validity: 0..<days) }
      entries.append(try entry(folder))
    }
    return entries
  }

  /// Returns all certificates in the folder, in the order of their names.
  public func entries() throws -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return try names.sorted().filter {
      $0 == "authority" || $0.hasPrefix("node-") || $0.hasPrefix("client-")
    }.map { try entry(KeyFolder(path + "/" + $0)) }
  }

  private func entry(_ folder: KeyFolder) throws -> Entry {
    Entry(folder: folder, expiry: try Certificate(file: folder.certificate).expiry)
  }

  /// Makes a folder under another name, and renames it when it is complete.
  private func complete(_ folder: KeyFolder, _ body: (KeyFolder) throws -> Void) throws {
    let new = KeyFolder(path + "/.new-\(UUID())")
    do {
      try body(new)
      guard unsafe rename(new.path, folder.path) == 0 else {
        throw DoorError.system("\(folder.path) cannot be created")
      }
    } catch {
      // The folder has no use, but does no harm.
      try? FileManager.default.removeItem(atPath: new.path)
      throw error
    }
  }
}
