"""The built-in connectors, one package per service, and the modules that several of them share."""
