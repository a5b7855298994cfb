/** Connected assistants: GET /security/assistants, DELETE /security/assistants/{kid}. No tools, for no assistant is to end another one. */
import { Hono } from 'hono';
import type { Assistants } from '../../auth/assistants.ts';
import type { Auth } from '../../auth/auth.ts';
import { AppError } from '../../domain/base/errors.ts';
import { pageBody } from '../../toolkit/output/page.ts';
import { jsonReply } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import type { SessionAuth } from './session-cookie.ts';
import { callerOf, serveSignIn, type SignInRequest, type SignInRoutes } from './sign-in.ts';

const PATH = '/security/assistants';

interface AssistantRoutes extends SignInRoutes {
  assistants: Assistants;
  auth: Auth;
  sessionAuth: SessionAuth;
  /** The name of the profile that REST heeds. */
  profile: string;
}

export function assistantsApp(deps: AssistantRoutes): Hono {
  const { assistants, sessionAuth, profile } = deps;
  const app = new Hono();

  async function list(request: SignInRequest): Promise<Response> {
    const rows = await assistants.list(await callerOf(deps, request));
    const body = pageBody(rows, rows.length, { page: 1, pageSize: Math.max(1, rows.length) });
    return jsonReply(200, body, request.requestId);
  }

  async function end(request: SignInRequest): Promise<Response> {
    const caller = await callerOf(deps, request);
    sessionAuth.assertIntended(request.request.headers, caller);
    if (profile === 'readonly')
      throw new AppError('profile_forbidden', 'This server is read-only: no assistant can be ended here.');
    const kid = new URL(request.request.url).pathname.slice(`${PREFIX}${PATH}/`.length);
    const id = await assistants.end(caller, kid, request.requestId);
    return jsonReply(200, { data: { id, deleted: true } }, request.requestId);
  }

  const all = { path: PATH, operation: 'listAssistants', isIdempotent: true, act: list };
  serveSignIn(app, deps, { method: 'GET', ...all });
  serveSignIn(app, deps, { method: 'DELETE', path: `${PATH}/:kid`, operation: 'endAssistant', act: end });
  return app;
}
