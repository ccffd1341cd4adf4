/// A folder with a key, its certificate, and the certificate of the authority.
public struct KeyFolder: Hashable, Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }

  /// The certificate of the cluster's authority, with which other certificates are checked.
  public var authority: String { path + "/authority.pem" }
  public var certificate: String { path + "/certificate.pem" }
  /// The private key, which only its owner may read.
  public var key: String { path + "/key.pem" }
}
