// Tests need only one import, because the tested code uses Sluice.
@_exported public import Sluice
