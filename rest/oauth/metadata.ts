/** Clients of OAuth read this of the server: RFC 9728 about /mcp, and RFC 8414 about the authorization server. */
import { ALL_SCOPES } from '../../auth/oauth/scopes.ts';
import type { Place } from './place.ts';

export const PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

/** `server` is the authorization server of the deployment, where there is one in place of this server. */
export function resourceMetadata({ issuer, resource }: Place, server = issuer): object {
  return {
    resource,
    authorization_servers: [server],
    scopes_supported: ALL_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'onair',
  };
}

export function serverMetadata({ issuer, resource }: Place): object {
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    registration_endpoint: issuer + PATHS.register,
    revocation_endpoint: issuer + PATHS.revoke,
    scopes_supported: ALL_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [resource],
  };
}
