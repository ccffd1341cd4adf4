// The engine is exported as part of this library, so that one import is enough.
@_exported public import SluiceCore
