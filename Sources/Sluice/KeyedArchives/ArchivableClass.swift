import Foundation

#if !canImport(Darwin)
  typealias ArchivableClass = any (NSObject & NSSecureCoding).Type

  /// The class that an archive means, unless it is one of Foundation's or does not support secure
  /// coding.
  func archivableClass(named name: String) -> ArchivableClass? {
    if let type = NSKeyedUnarchiver.class(forClassName: name) { return archivable(type) }
    // Anything but the name of a class in a module could be taken for a mangled name.
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
    guard parts.count == 2, isPlain else { return nil }
    return NSClassFromString(name).flatMap(archivable)
  }

  private func archivable(_ type: AnyClass) -> ArchivableClass? {
    guard !String(reflecting: type).hasPrefix("Foundation"), let type = type as? ArchivableClass,
      type.supportsSecureCoding
    else { return nil }
    return type
  }
#endif
