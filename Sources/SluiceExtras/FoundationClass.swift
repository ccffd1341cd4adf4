import Foundation
import Sluice

#if !canImport(Darwin)
  /// The Foundation classes that archives may contain, and functions that create their objects.
  enum FoundationClass {
    static let names: Set = [
      "NSNull", "NSString", "NSMutableString", "NSData", "NSMutableData", "NSDate", "NSUUID",
      "NSURL", "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSDictionary",
      "NSMutableDictionary",
    ]

    /// Returns an object of the class with this name; nil if a required field is missing.
    static func make(_ name: String, from coder: ArchiveCoder) throws(Refusal) -> NSObject? {
      switch name {
      case "NSNull": return NSNull()
      case "NSString": return coder.decodeObject(of: NSString.self, forKey: "NS.string")
      case "NSMutableString":
        return coder.decodeObject(of: NSMutableString.self, forKey: "NS.string")
      case "NSData": return coder.decodeObject(of: NSData.self, forKey: "NS.data")
      case "NSMutableData": return coder.data(forKey: "NS.data").map { NSMutableData(data: $0) }
      case "NSDate":
        let time = coder.decodeDouble(forKey: "NS.time")
        return time.isFinite ? NSDate(timeIntervalSinceReferenceDate: time) : nil
      case "NSUUID":
        let uuid = coder.data(forKey: "NS.uuidbytes").flatMap { UUID(bytes: [UInt8]($0)) }
        return uuid.map { $0 as NSUUID }
      case "NSURL":
        let base = coder.decodeObject(of: NSURL.self, forKey: "NS.base")
        guard let text = coder.decodeObject(of: NSString.self, forKey: "NS.relative") else {
          return nil
        }
        return NSURL(string: String(describing: text), relativeTo: base.map { $0 as URL })
      case "NSArray": return NSArray(array: try coder.objects(forKey: "NS.objects"))
      case "NSMutableArray": return NSMutableArray(array: try coder.objects(forKey: "NS.objects"))
      case "NSSet": return NSSet(array: try coder.objects(forKey: "NS.objects"))
      case "NSMutableSet": return NSMutableSet(array: try coder.objects(forKey: "NS.objects"))
      case "NSDictionary", "NSMutableDictionary":
        let (keys, values) = try (
          coder.objects(forKey: "NS.keys"), coder.objects(forKey: "NS.objects")
        )
        guard keys.count == values.count else { return nil }
        return name == "NSDictionary"
          ? NSDictionary(objects: values, forKeys: keys)
          : NSMutableDictionary(objects: values, forKeys: keys)
      default: return nil
      }
    }
  }
#endif
