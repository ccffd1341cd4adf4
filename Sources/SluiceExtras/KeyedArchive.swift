public import Foundation
import Sluice
public import SluiceCore

/// Functions that create and read keyed archives without trusting their content.
enum KeyedArchive {
  /// Returns the archive of an object; everything in the object must support secure coding.
  static func archive(_ object: any NSObject & NSSecureCoding) throws(Refusal) -> [UInt8] {
    #if !canImport(Darwin)
      try ArchiveInspector.inspect(object)
    #endif
    do {
      return [UInt8](
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
    } catch { throw Refusal(error.localizedDescription) }
  }

  /// Returns the object that an archive contains; everything in it must be of one of `classes`.
  static func object(of classes: [AnyClass], in archive: [UInt8]) throws(Refusal) -> Any {
    #if canImport(Darwin)
      let object: Any?
      do {
        object = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: Data(archive))
      } catch { throw Refusal(error.localizedDescription) }
    #else
      let object = try ArchiveReader.object(of: classes, in: archive)
    #endif
    guard let object else { throw Refusal("It contains no object") }
    return object
  }
}

extension SQLBindable where Self == SQLParameter {
  /// An object as a blob, which contains its keyed archive; NULL for nil.
  ///
  /// Everything in the object must support secure coding. On Linux, Foundation cannot archive all of
  /// its classes safely. Of Foundation's classes, only strings, numbers, data, dates, UUIDs, URLs,
  /// `NSNull`, arrays, dictionaries and sets are accepted there. Any other object throws
  /// `ResultCode.mismatch` when it is bound.
  ///
  /// For a value type, use `json` or `propertyList`.
  public static func keyedArchive<Object: NSObject & NSSecureCoding>(
    _ object: Object?
  ) -> SQLParameter {
    SQLParameter(object) { object in
      do throws(Refusal) { return .blob(try KeyedArchive.archive(object)) } catch {
        throw SQLiteError(.mismatch, "\(type(of: object)) cannot be archived: \(error.reason)")
      }
    }
  }
}

extension ColumnValueConverter where Value: NSObject & NSSecureCoding {
  /// An object of this class, or of a subclass, from a blob with its keyed archive.
  ///
  /// ```swift
  /// let names = try row.get(
  ///   .keyedArchive(of: NSArray.self, containing: NSString.self), named: "names")
  /// ```
  ///
  /// A collection also needs the classes of its elements. An archive that is damaged, or that
  /// contains other classes, throws `ResultCode.mismatch`. On Linux, so does an archive whose objects
  /// refer to each other in a circle. The content of an archive reaches the `init(coder:)` of your own
  /// classes, which must not trust it either.
  public static func keyedArchive(
    of type: Value.Type = Value.self, containing others: AnyClass...
  ) -> Self {
    let classes = [type] + others
    return Self { row, index in
      let bytes = try row.get(.bytes, at: index)
      do {
        let object = try KeyedArchive.object(of: classes, in: bytes)
        if let object = object as? Value { return object }
        throw Refusal("It contains an object of another class")
      } catch let error as Refusal {
        throw row.mismatch(at: index, "is not an archive of \(Value.self): \(error.reason)")
      }
    }
  }
}
