public import Foundation
import Sluice
public import SluiceCore

/// Functions that create keyed archives, and read them without trusting their content.
enum KeyedArchive {
  /// Returns the archive of an object; all objects in it must support secure coding.
  static func archive(_ object: any NSObject & NSSecureCoding) throws(Refusal) -> [UInt8] {
    try refuseUnreadable(object)
    do {
      return [UInt8](
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true))
    } catch { throw Refusal(error.localizedDescription) }
  }

  /// Returns the root object of an archive; every object in the archive must be an instance of one of `classes`.
  static func object(of classes: [AnyClass], in archive: [UInt8]) throws(Refusal) -> Any {
    guard let object = try unarchive(archive, as: classes) else {
      throw Refusal("It contains no object")
    }
    return object
  }
}

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with an object as a blob that contains its keyed archive; NULL for nil.
  ///
  /// All objects in the archive must support secure coding. On Linux, Foundation cannot archive all of its
  /// classes safely. Of Foundation's classes, only strings, numbers, data, dates, UUIDs, URLs, `NSNull`, arrays,
  /// dictionaries and sets are accepted on Linux. Any other object throws `ResultCode.mismatch` when it is bound.
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
  /// Returns a converter that reads an object of a class, or of a subclass, from a blob with its keyed archive.
  ///
  /// ```swift
  /// let names = try row.get(
  ///   .keyedArchive(of: NSArray.self, containing: NSString.self), named: "names")
  /// ```
  ///
  /// For a collection, also pass the classes of its elements. An archive that is damaged, or that contains other
  /// classes, throws `ResultCode.mismatch`. On Linux, an archive with a cycle of references throws it, too. Your
  /// own classes get the content of the archive in `init(coder:)`, and must not trust it.
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
