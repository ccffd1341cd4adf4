// Re-export Sluice, which the tested code uses, so that tests need only one import.
@_exported public import Sluice
