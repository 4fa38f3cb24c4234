"""The OpenAPI documents and the pages that describe them."""
