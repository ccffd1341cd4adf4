// Re-export the engine, so that one import is enough.
@_exported public import SluiceCore
