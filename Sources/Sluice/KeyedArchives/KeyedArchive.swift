import Foundation

/// Keyed archives, made and read without trust in what is in them.
enum KeyedArchive {
  /// The archive of an object, all of which has to support secure coding.
  static func archive(_ object: any NSObject & NSSecureCoding) throws(Refusal) -> [UInt8] {
    #if !canImport(Darwin)
      try ArchiveInspector.inspect(object)
    #endif
    do {
      return [UInt8](
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
    } catch { throw Refusal(error.localizedDescription) }
  }

  /// The object that an archive holds, which is of one of `classes`, as is all that it consists of.
  static func object(of classes: [AnyClass], in archive: [UInt8]) throws(Refusal) -> Any {
    #if canImport(Darwin)
      let object: Any?
      do {
        object = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: Data(archive))
      } catch { throw Refusal(error.localizedDescription) }
    #else
      let object = try ArchiveReader.object(of: classes, in: archive)
    #endif
    guard let object else { throw Refusal("It holds no object") }
    return object
  }
}
