import HTTPTypes

/// `GET /v1/openapi.yaml`: docs/openapi.yaml, which stands in the program as it was built.
enum Contract {
  static var response: HTTPResponse {
    HTTPResponse(status: 200, body: PackageResources.openapi_yaml, contentType: "application/yaml")
  }
}
