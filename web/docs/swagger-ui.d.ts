declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** Shows the description at `url`; the settings are those of the manual of Swagger UI. */
  export default function SwaggerUI(settings: Record<string, unknown>): void;
}
