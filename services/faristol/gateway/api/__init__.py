"""The JSON API: routes, resources, parameters and the OpenAPI documents."""
