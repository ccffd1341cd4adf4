import Sluice
func go(_ s: Statement) throws { var sp: Span<UInt8>? = nil
  try s.forEachRow { r in try r.withUTF8(at: 0) { b in sp = b } } }
func go2(_ s: Statement) throws { 
  try s.forEachRow { r in let x = try r.withUTF8(at: 0) { b in b }; _ = x } }
