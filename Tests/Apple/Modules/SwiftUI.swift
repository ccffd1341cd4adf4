// Stand-ins for what the snippets use of the module SwiftUI, according to its documentation.
@_exported import Foundation

@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

@resultBuilder public enum ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

extension Never: View {
  public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var wrappedValue: Value
}

public struct Text: View {
  public init<S: StringProtocol>(_ content: S) {}
  public var body: Never { fatalError() }
}

public struct List<RowContent: View>: View {
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
  ) where Data.Element: Identifiable {}
  public var body: Never { fatalError() }
}

extension View {
  public func overlay<V: View>(@ViewBuilder content: () -> V) -> some View { self }
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
}

public func withAnimation<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
