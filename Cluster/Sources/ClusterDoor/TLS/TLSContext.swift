import COpenSSL

/// The settings of TLS of a node or a client: TLS 1.3, certificates on both sides, and only the cluster's own authority.
@safe public final class TLSContext: @unchecked Sendable {
  /// The owner of the certificate in the folder.
  public let identity: DoorIdentity
  /// The time at which the certificate expires, as text.
  public let expiry: String
  // OpenSSL counts the references to a context and locks it, once it is configured.
  private let server: OpaquePointer
  private let client: OpaquePointer

  /// Reads `authority.pem`, `certificate.pem` and `key.pem` in a folder.
  ///
  /// - Throws: ``DoorError`` if a file is missing or invalid, or if the certificate has expired.
  public init(folder: KeyFolder) throws {
    let certificate = try Certificate(file: folder.certificate)
    try certificate.requireValidity(folder.certificate)
    identity = try certificate.identity()
    expiry = certificate.expiry
    unsafe server = try Self.context(TLS_server_method(), folder)
    do {
      unsafe client = try Self.context(TLS_client_method(), folder)
    } catch {
      unsafe SSL_CTX_free(server)
      throw error
    }
    unsafe SSL_CTX_set_verify(server, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    unsafe SSL_CTX_set_verify(client, SSL_VERIFY_PEER, nil)
  }

  deinit {
    unsafe SSL_CTX_free(server)
    unsafe SSL_CTX_free(client)
  }

  private static func context(
    _ method: OpaquePointer?, _ folder: KeyFolder
  ) throws -> OpaquePointer {
    ERR_clear_error()
    guard let context = unsafe SSL_CTX_new(method) else { throw OpenSSLError.failure("TLS") }
    do {
      guard unsafe sluice_ctx_only_tls13(context) == 1,
        unsafe SSL_CTX_set_num_tickets(context, 0) == 1
      else { throw OpenSSLError.failure("TLS 1.3 is not available") }
      unsafe sluice_ctx_no_sessions(context)
      unsafe sluice_ctx_nonblocking(context)
      unsafe SSL_CTX_set_verify_depth(context, 1)
      guard unsafe SSL_CTX_load_verify_file(context, folder.authority) == 1 else {
        throw OpenSSLError.failure("\(folder.authority) cannot be read")
      }
      guard unsafe SSL_CTX_use_certificate_chain_file(context, folder.certificate) == 1 else {
        throw OpenSSLError.failure("\(folder.certificate) cannot be read")
      }
      guard unsafe SSL_CTX_use_PrivateKey_file(context, folder.key, SSL_FILETYPE_PEM) == 1 else {
        throw OpenSSLError.failure(
          "\(folder.key) cannot be read, or belongs to another certificate")
      }
      return unsafe context
    } catch {
      unsafe SSL_CTX_free(context)
      throw error
    }
  }

  /// Returns whether a certificate in a folder names the address of a node.
  public static func isCertificate(in folder: KeyFolder, for address: DoorAddress) throws -> Bool {
    try Certificate(file: folder.certificate).names(address)
  }

  /// Returns the session of a connection that was accepted.
  func accepting(_ descriptor: Int32) throws -> TLSSession {
    let session = try unsafe TLSSession(server, descriptor)
    session.beginAccepting()
    return session
  }

  /// Returns the session of a connection to a node, whose certificate must name its address.
  func connecting(_ descriptor: Int32, to address: DoorAddress) throws -> TLSSession {
    let session = try unsafe TLSSession(client, descriptor)
    try session.beginConnecting(to: address)
    return session
  }
}
