/** The sign-in of people and the feed of the page as OpenAPI 3.1 path items. These are no tools, so there is no declaration to generate them from. */
import { PASSWORD } from '../../domain/shapes/installation/user.ts';

type Json = Record<string, unknown>;

const problems = (...statuses: number[]): Json => ({
  ...Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/Problem${status}` }]),
  ),
  default: { $ref: '#/components/responses/Problem' },
});

const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const role = { type: 'integer', enum: [1, 2], description: '1 = System Administrator, 2 = Operator.' };
const text = (maxLength: number, description: string): Json => ({ type: 'string', maxLength, description });
const instant = (description: string): Json => ({ type: 'string', format: 'date-time', maxLength: 30, description });

function object(description: string, properties: Json, optional: readonly string[] = []): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', description, additionalProperties: false, properties, required };
}

const profile = object('Profile of the user.', {
  role,
  api: { type: 'boolean', description: 'Whether the user may issue API tokens.' },
  admin: { type: 'boolean', description: 'Whether the role is System Administrator.' },
  language: text(35, 'Language tag (BCP 47).'),
  password_version: { type: 'integer', minimum: 0, maximum: 2147483647, description: 'Grows with each new password.' },
});

const me = object(
  'Who calls.',
  {
    id: { ...id, description: 'Id of the user.' },
    username: text(30, 'Name for the sign-in.'),
    first_name: text(30, 'First name.'),
    last_name: text(30, 'Last name.'),
    email: text(75, 'E-mail address.'),
    user_role: role,
    profile,
    tool_profile: { type: 'string', enum: ['full', 'readonly'], description: 'readonly: this server refuses changes.' },
    csrf_token: text(43, 'Goes into the header X-CSRF-Token of every change. For sessions only.'),
    expires_at: instant('When the session ends. For sessions only.'),
  },
  ['csrf_token', 'expires_at'],
);

function answer(description: string, schema: Json, cookie?: string): Json {
  const headers = cookie !== undefined && {
    headers: { 'Set-Cookie': { description: cookie, schema: { type: 'string', maxLength: 200 } } },
  };
  const body = object('Envelope.', { data: schema });
  return { description, ...headers, content: { 'application/json': { schema: body } } };
}

const about = { tags: ['Security'], parameters: [] };

export const SIGN_IN_PATHS: Json = {
  '/security/login': {
    post: {
      operationId: 'login',
      summary: 'Sign in with user name and password.',
      description:
        'For people; programs use an API token. The session lives in a cookie that scripts cannot read and ends after twelve hours, ' +
        'unless renewSession prolongs it. ' +
        'Failed sign-ins are slowed down: 429 says for how long.',
      ...about,
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: object('Name and password.', {
              username: { ...text(256, 'Name of the user.'), minLength: 1, examples: ['admin'] },
              password: {
                ...text(1024, `Password, at least ${PASSWORD.min} characters.`),
                minLength: 1,
                format: 'password',
              },
            }),
          },
        },
      },
      responses: {
        200: answer('Signed in.', me, 'onair_session: HttpOnly, SameSite=Strict, and Secure where TLS is spoken.'),
        ...problems(400, 401, 403, 413, 415, 429),
      },
    },
  },
  '/security/renew': {
    post: {
      operationId: 'renewSession',
      summary: 'Prolong the session of the cookie.',
      description:
        'For a page that stays open: the session lasts twelve hours from now, and 30 days from the sign-in at most; ' +
        'one that an identity provider has let in keeps its end. ' +
        'The CSRF token stays the same.',
      ...about,
      security: [{ session: [], csrf: [] }],
      responses: {
        200: answer('Prolonged.', me, 'onair_session with its new end.'),
        ...problems(401, 403),
      },
    },
  },
  '/security/logout': {
    post: {
      operationId: 'logout',
      summary: 'End the session of the cookie.',
      description: 'The session is gone for good. API tokens are ended by revokeApiToken.',
      ...about,
      security: [{ session: [], csrf: [] }],
      responses: {
        200: answer(
          'Signed out.',
          object('Outcome.', { signed_out: { type: 'boolean', const: true, description: 'Always true.' } }),
          'onair_session, emptied.',
        ),
        ...problems(401, 403),
      },
    },
  },
  '/security/password': {
    post: {
      operationId: 'changePassword',
      summary: 'Change your own password.',
      description:
        'For whoever is signed in, of any role. The present password is asked for, and guesses are slowed down as at the sign-in: 429 says ' +
        'for how long. Your other sessions end by it. An Administrator sets that of others with updateUser.',
      ...about,
      security: [{ session: [], csrf: [] }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: object('The present and the new password.', {
              password: { ...text(1024, 'The present password.'), minLength: 1, format: 'password' },
              new_password: {
                ...text(PASSWORD.max, `The new one, at least ${PASSWORD.min} characters.`),
                minLength: PASSWORD.min,
                format: 'password',
              },
            }),
          },
        },
      },
      responses: {
        200: answer(
          'Changed.',
          object('Outcome.', { changed: { type: 'boolean', const: true, description: 'Always true.' } }),
        ),
        ...problems(400, 401, 403, 409, 413, 415, 429),
      },
    },
  },
  '/security/me': {
    get: {
      operationId: 'getMe',
      summary: 'Tell who calls: user, role, profile, and the CSRF token of a session.',
      description: 'A page asks it after a reload; a program may ask it to check its token.',
      ...about,
      security: [{ bearer: [] }, { session: [] }],
      responses: { 200: answer('Who calls.', me), ...problems(401) },
    },
  },
  '/feed': {
    get: {
      operationId: 'getFeed',
      summary: 'Follow what happens, as server-sent events.',
      description:
        'For the page; a program may use it too. `hello` comes first, then `snapshot` with all Live streams and Devices (the last part ' +
        'has `done`), then changes: `status`, `event`, `device`, `changed`, and `rates` each second. Whoever comes back with the last id gets what ' +
        'was missed in place of a snapshot, for five minutes. `bye` with its reason (signed_out, expired, role, closing) is last.',
      tags: ['Live streams'],
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description: 'Id of the last message that arrived; a browser sends it by itself.',
          schema: { type: 'string', minLength: 1, maxLength: 100 },
        },
      ],
      security: [{ bearer: [] }, { session: [] }],
      responses: {
        200: {
          description: 'Messages, for as long as the caller may have them.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        ...problems(401, 403, 503),
      },
    },
  },
};
