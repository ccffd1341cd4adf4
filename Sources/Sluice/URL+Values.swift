public import Foundation
public import SluiceCore

extension SQLParameter {
  /// A URL as text.
  public static func urlString(_ url: URL) -> SQLParameter {
    SQLParameter(.text(url.absoluteString))
  }
}

extension ColumnValueConverter where Value == URL {
  /// A URL from text.
  public static var urlString: Self {
    Self { row, index in
      guard let url = URL(string: try row.get(.string, at: index)) else {
        throw row.mismatch(at: index, "is not a URL")
      }
      return url
    }
  }
}
