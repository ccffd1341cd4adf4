#if canImport(Darwin)
  import Foundation
  import Sluice

  extension KeyedArchive {
    /// Does nothing, because `NSKeyedArchiver` throws for objects that no archive can contain.
    static func refuseUnreadable(_ object: NSObject) throws(Refusal) {}

    /// Returns the root object of an archive, or nil if it has none.
    static func unarchive(_ archive: [UInt8], as classes: [AnyClass]) throws(Refusal) -> Any? {
      do {
        return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: Data(archive))
      } catch { throw Refusal(error.localizedDescription) }
    }
  }
#endif
