"""Shopping tasks: sampling, exact optimum, frozen suites, validation."""
