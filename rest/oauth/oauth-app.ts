/** OAuth 2.1 for assistants that people connect to MCP: its pages, its endpoints and the documents that name them. */
import { Hono } from 'hono';
import { authorizeApp, type AuthorizeDeps } from './authorize.ts';
import { endpointApp } from './endpoints.ts';

export function oauthApp(deps: AuthorizeDeps): Hono {
  const app = new Hono();
  app.route('/', endpointApp(deps));
  if (deps.providerIssuer === undefined) app.route('/', authorizeApp(deps));
  return app;
}
