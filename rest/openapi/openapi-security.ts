/** The callers in the OpenAPI description: a program with a token, or a person's page with a session. */
import { CSRF_HEADER, SESSION_COOKIE } from '../sign-in/session-cookie.ts';

type Json = Record<string, unknown>;

/** A page sends the cookie by itself; another site can make it do so, but cannot send the header of a change. */
export const SECURITY: Readonly<Record<'read' | 'write', readonly Json[]>> = {
  read: [{ bearer: [] }, { session: [] }],
  write: [{ bearer: [] }, { session: [], csrf: [] }],
};

export const SECURITY_SCHEMES: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'API token of a user; its role decides what it may do.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'Set by the sign-in of a person.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: CSRF_HEADER,
    description: 'Needed beside the session cookie for every change; the sign-in answers it.',
  },
};
