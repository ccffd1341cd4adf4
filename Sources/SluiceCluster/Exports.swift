// Code that uses a cluster also needs the API of `Sluice`; with this export, one import is enough.
@_exported public import Sluice
