/** The page of the API: the description that this server gives, to read and to try as whoever is signed in. */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

interface Me {
  username: string;
  user_role: number;
  csrf_token?: string;
}
interface SentRequest {
  method?: string;
  headers: Record<string, string>;
}

const isSignedIn = document.querySelector<HTMLMetaElement>('meta[name="session"]')?.content === 'open';
const me = isSignedIn ? readMe() : Promise.resolve(undefined);

async function readMe(): Promise<Me | undefined> {
  const response = await fetch('svcapiv2/security/me');
  return response.ok ? ((await response.json()) as { data: Me }).data : undefined;
}

/** A change by a session needs its token; a call with an API token of its own is that token's. */
async function withToken(request: SentRequest): Promise<SentRequest> {
  const isRead = request.method === undefined || request.method === 'GET';
  const token = isRead || request.headers['Authorization'] !== undefined ? undefined : (await me)?.csrf_token;
  if (token !== undefined) request.headers['X-CSRF-Token'] = token;
  return request;
}

/** The style sheet of Swagger UI is dark by a class and not by the setting of the browser. */
function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

async function showCaller(): Promise<void> {
  const place = document.querySelector('#caller');
  const caller = await me;
  const role = caller?.user_role === 1 ? 'System Administrator' : 'Operator';
  const words =
    caller === undefined
      ? 'Nobody is signed in: sign in on the page of onair, or press Authorize and give an API token as bearer.'
      : `Signed in as ${caller.username}, ${role}. What you try here really happens.`;
  if (place !== null) place.textContent = words;
}

followTheme();
void showCaller();
SwaggerUI({
  url: 'openapi.json',
  dom_id: '#operations',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: -1,
  displayOperationId: true,
  tryItOutEnabled: true,
  // An outside service would be sent the description.
  validatorUrl: null,
  requestInterceptor: withToken,
});
