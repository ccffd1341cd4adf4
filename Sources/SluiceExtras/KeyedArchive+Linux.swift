#if !canImport(Darwin)
  import Foundation
  import Sluice

  extension KeyedArchive {
    /// Throws if an archive of the object could not be read, or could not even be created.
    static func refuseUnreadable(_ object: NSObject) throws(Refusal) {
      try ArchiveInspector.inspect(object)
    }

    /// Returns the root object of an archive, or nil if it has none.
    static func unarchive(_ archive: [UInt8], as classes: [AnyClass]) throws(Refusal) -> Any? {
      try ArchiveReader.object(of: classes, in: archive)
    }
  }
#endif
