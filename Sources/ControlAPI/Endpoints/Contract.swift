public import HTTPTypes

/// `GET /v1/openapi.yaml`: docs/openapi.yaml, embedded when the program is built.
public enum Contract {
  public static var response: HTTPResponse {
    HTTPResponse(status: 200, body: PackageResources.openapi_yaml, contentType: "application/yaml")
  }
}
