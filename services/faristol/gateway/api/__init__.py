"""The JSON API: routes, models, parameters and the OpenAPI documents."""
