import COpenSSL
import Glibc

/// The authority of a cluster, which signs the certificates of its nodes and clients.
@safe public final class Authority {
  /// The owner of a new certificate.
  public enum Owner: Hashable, Sendable {
    /// A node, whose certificate contains its address.
    case node(DoorAddress)
    case client(String)

    var name: String {
      switch self {
      case .node(let address): address.description
      case .client(let name): name
      }
    }

    var role: DoorRole {
      switch self {
      case .node: .node
      case .client: .client
      }
    }

    /// The name of the owner's folder.
    public var folder: String {
      switch self {
      case .node(let address): "node-\(address.host)-\(address.port)"
      case .client(let name): "client-\(name)"
      }
    }
  }

  private let certificate: OpaquePointer
  private let key: OpaquePointer

  private init(_ certificate: OpaquePointer, _ key: OpaquePointer) {
    unsafe self.certificate = certificate
    unsafe self.key = key
  }

  deinit {
    unsafe X509_free(certificate)
    unsafe EVP_PKEY_free(key)
  }

  /// Makes an authority, whose files are written to a new folder.
  public convenience init(creating folder: KeyFolder, days: Int) throws {
    let key = try unsafe Self.newKey()
    do {
      let certificate = try unsafe Self.newCertificate(
        key, name: [(NID_commonName, "Sluice cluster authority")],
        validity: -1..<days)
      unsafe self.init(certificate, key)
    } catch {
      unsafe EVP_PKEY_free(key)
      throw error
    }
    try unsafe Self.add(
      [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"), (NID_subject_key_identifier, "hash"),
      ], to: certificate, issuer: certificate)
    try unsafe Self.sign(certificate, key)
    try KeyFiles.createFolder(folder.path)
    try unsafe KeyFiles.write(key: key, to: folder.key)
    try unsafe KeyFiles.write(certificate: certificate, to: folder.certificate)
  }

  /// Reads an authority.
  public convenience init(folder: KeyFolder) throws {
    let certificate = try Certificate(file: folder.certificate)
    try certificate.requireValidity(folder.certificate)
    guard let stream = unsafe fopen(folder.key, "re") else {
      throw DoorError.system("\(folder.key) cannot be read")
    }
    defer { unsafe fclose(stream) }
    ERR_clear_error()
    guard let key = unsafe PEM_read_PrivateKey(stream, nil, nil, nil) else {
      throw OpenSSLError.failure("\(folder.key) is not a key")
    }
    unsafe X509_up_ref(certificate.handle)
    unsafe self.init(certificate.handle, key)
    guard unsafe X509_check_private_key(self.certificate, key) == 1 else {
      throw DoorError("\(folder.key) does not belong to \(folder.certificate)")
    }
  }

  /// Makes a key and a certificate, which are written to a new folder.
  ///
  /// The certificate is valid on the days of `validity`, counted from now.
  public func issue(_ owner: Owner, to folder: KeyFolder, validity: Range<Int>) throws {
    let key = try unsafe Self.newKey()
    defer { unsafe EVP_PKEY_free(key) }
    let certificate = try unsafe Self.newCertificate(
      key, name: [(NID_organizationalUnitName, owner.role.rawValue), (NID_commonName, owner.name)],
      validity: validity)
    defer { unsafe X509_free(certificate) }
    unsafe X509_set_issuer_name(certificate, X509_get_subject_name(self.certificate))
    var extensions: [(Int32, String)] = [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
      (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
    ]
    switch owner {
    case .node(let address):
      extensions += [
        (NID_ext_key_usage, "serverAuth,clientAuth"), (NID_subject_alt_name, "IP:\(address.host)"),
      ]
    case .client: extensions.append((NID_ext_key_usage, "clientAuth"))
    }
    try unsafe Self.add(extensions, to: certificate, issuer: self.certificate)
    try unsafe Self.sign(certificate, self.key)
    try KeyFiles.createFolder(folder.path)
    try unsafe KeyFiles.write(key: key, to: folder.key)
    try unsafe KeyFiles.write(certificate: certificate, to: folder.certificate)
    try unsafe KeyFiles.write(certificate: self.certificate, to: folder.authority)
  }
}

extension Authority {
  private static func newKey() throws -> OpaquePointer {
    ERR_clear_error()
    guard let key = unsafe sluice_p256_key() else { throw OpenSSLError.failure("No key was made") }
    return unsafe key
  }

  private static func newCertificate(
    _ key: OpaquePointer, name: [(kind: Int32, text: String)], validity: Range<Int>
  ) throws -> OpaquePointer {
    ERR_clear_error()
    guard let certificate = unsafe X509_new() else { throw OpenSSLError.failure("No certificate") }
    // The version 3 has the number 2. A positive number of 127 bits is unique.
    var serial = (0..<16).map { _ in UInt8(0) }
    let subject = unsafe X509_get_subject_name(certificate)
    var isComplete =
      unsafe X509_set_version(certificate, 2) == 1
      && RAND_bytes(&serial, Int32(serial.count)) == 1
    serial[0] = serial[0] & 0x7f | 0x40
    let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
    defer { unsafe BN_free(number) }
    // A clock that is a little behind accepts the certificate, too.
    let margin = validity.lowerBound == 0 ? -3600 : 0
    isComplete =
      unsafe isComplete
      && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
      && X509_time_adj_ex(
        X509_getm_notBefore(certificate), Int32(clamping: validity.lowerBound), margin, nil) != nil
      && X509_time_adj_ex(
        X509_getm_notAfter(certificate), Int32(clamping: validity.upperBound), 0, nil) != nil
      && X509_set_pubkey(certificate, key) == 1
    for (kind, text) in name {
      isComplete =
        unsafe isComplete
        && X509_NAME_add_entry_by_NID(
          subject, kind, MBSTRING_UTF8, Array(text.utf8), Int32(clamping: text.utf8.count), -1, 0)
          == 1
    }
    isComplete = unsafe isComplete && X509_set_issuer_name(certificate, subject) == 1
    guard isComplete else {
      unsafe X509_free(certificate)
      throw OpenSSLError.failure("The certificate cannot be made")
    }
    return unsafe certificate
  }

  private static func add(
    _ extensions: [(Int32, String)], to certificate: OpaquePointer, issuer: OpaquePointer
  ) throws {
    var context = unsafe X509V3_CTX()
    unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
    for (kind, text) in extensions {
      guard let part = unsafe X509V3_EXT_conf_nid(nil, &context, kind, text) else {
        throw OpenSSLError.failure("The certificate cannot have \(text)")
      }
      defer { unsafe X509_EXTENSION_free(part) }
      guard unsafe X509_add_ext(certificate, part, -1) == 1 else {
        throw OpenSSLError.failure("The certificate cannot have \(text)")
      }
    }
  }

  private static func sign(_ certificate: OpaquePointer, _ key: OpaquePointer) throws {
    guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else {
      throw OpenSSLError.failure("The certificate cannot be signed")
    }
  }
}
