/** `onair login <url>` keeps a token for a server, which commands that name no server speak to from then on. */
import { hostname } from 'node:os';
import { AppError, invalidInput } from '../../domain/base/errors.ts';
import { jsonOf } from '../../domain/base/json.ts';
import { ROLE } from '../../domain/shapes/installation/security.ts';
import { NoAnswer } from '../exit-codes.ts';
import { bytesOf, fromProblem, request, requestAs } from '../client/request.ts';
import { forgetServer, isLoopback, readCredentials, signedIn, signIn, type Target } from '../settings/credentials.ts';
import { sendCall } from '../client/call.ts';
import { strangerAt } from '../server/listener.ts';
import { print } from '../output/format.ts';
import { stdinText } from '../stdin.ts';
import { typeHidden } from '../verbs/hidden-input.ts';

export interface LoginFlags {
  username?: string;
  /** The days of the token that is made. */
  expiresDays: string;
}

interface Made {
  token: string;
  /** undefined for a token that was given, which others may use too. */
  kid?: string;
}

interface Account {
  username: string;
  user_role: number;
  /** Only of a session: proves that a change is meant by whoever signed in. */
  csrf_token?: string;
}

export async function login(address: string, { username, expiresDays }: LoginFlags): Promise<void> {
  const url = urlOf(address);
  if (url.startsWith('http:') && !isLoopback(url))
    process.stderr.write(`onair: ${url} is no https address: everybody on the way to it can read the token.\n`);
  const stranger = await strangerAt(url);
  if (stranger !== undefined)
    process.stderr.write(
      `onair: what listens at ${url} is of ${stranger.name}: go on only if that runs your server.\n`,
    );
  const made: Made =
    username === undefined
      ? { token: await secretOf('token', `API token for ${url}: `) }
      : await makeToken(url, username, await secretOf('password', `Password of ${username} at ${url}: `), expiresDays);
  const listener = stranger === undefined ? {} : { listener: stranger.uid };
  const account = await accountOf({ url, token: made.token, ...listener });
  const { [url]: former } = readCredentials();
  const path = signIn(url, { ...made, username: account.username, ...listener });
  await revoke(url, former).catch((error: unknown) => {
    const { message } = error as Error;
    process.stderr.write(`onair: the token of the former sign-in, ${former?.kid}, is not revoked: ${message}\n`);
  });
  const named = process.env['ONAIR_URL'];
  if (named) process.stderr.write(`onair: ONAIR_URL is set, so commands go on to speak to ${named}; unset it.\n`);
  const role = account.user_role === ROLE.admin ? 'an administrator' : 'an operator';
  print(`Signed in to ${url} as ${account.username}, ${role}. Commands speak to it from now on (${path}).`);
}

/** Revokes the token where onair login has made it, and keeps none for the server any more. */
export async function logout(server: string | undefined): Promise<void> {
  const { url, token, kid } = signedIn(server);
  await revoke(url, { token, kid }).catch((error: unknown) => {
    throw withRemedy(error, url);
  });
  forgetServer(url);
  const left = kid === undefined ? 'Its token was given, and stays good until it is revoked.' : 'Its token is revoked.';
  print(`Signed out of ${url}. ${left}`);
}

/** Revokes a token that onair login has made. */
async function revoke(url: string, { token, kid }: Partial<Made> = {}): Promise<void> {
  if (token === undefined || kid === undefined) return;
  await sendCall({ url, token }, 'revokeApiToken', { kid }).catch((error: unknown) => {
    // One that is good no more needs no revoking.
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error;
  });
}

function withRemedy(error: unknown, url: string): unknown {
  if (!(error instanceof NoAnswer)) return error;
  const remedy = `To forget the token without revoking it: onair context rm ${url}`;
  return new NoAnswer(error.message, { ...error.extras, remedy });
}

/** A host alone is reached by https, and this machine by http. Throws AppError invalid_input. */
function urlOf(address: string): string {
  const named = address.trim().replace(/\/+$/u, '');
  const whole = /^\w+:\/\//u.test(named) ? named : `${isLoopback(`http://${named}`) ? 'http' : 'https'}://${named}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url !== undefined && /^https?:$/u.test(url.protocol) && url.username === '' && url.search === '') return whole;
  const message = `must be the address of a server such as https://studio.example.com; it was ${JSON.stringify(address)}`;
  throw invalidInput([{ field: 'url', code: 'invalid_value', message }]);
}

/** A secret comes by stdin, and is typed without echo at a terminal: arguments are visible to every process. */
async function secretOf(noun: string, question: string): Promise<string> {
  const [typed] = process.stdin.isTTY ? await typeHidden([question]) : [await stdinText()];
  const secret = (typed ?? '').replace(/\r?\n$/u, '');
  if (secret.trim() !== '') return noun === 'token' ? secret.trim() : secret;
  throw invalidInput([
    { field: noun, code: 'required', message: `is missing; give it on stdin, or type it at a terminal` },
  ]);
}

async function accountOf(server: Target): Promise<Account> {
  const { url } = server;
  return dataOf<Account>(url, await requestAs(server, new URL(`${url}/svcapiv2/security/me`), { method: 'GET' }));
}

/** Signs in with a password, makes a token of the user's own, and signs out again. */
async function makeToken(url: string, username: string, password: string, days: string): Promise<Made> {
  const post = (path: string, body: object, headers: Record<string, string> = {}): ReturnType<typeof request> =>
    request({ url }, new URL(`${url}/svcapiv2/security/${path}`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const answer = await post('login', { username, password });
  const account = await dataOf<Account>(url, answer);
  const cookie = (answer.headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ');
  const session = { cookie, 'x-csrf-token': account.csrf_token ?? '' };
  try {
    const name = `onair login ${hostname()}`.slice(0, 100);
    const wanted = { name, expires_days: Number(days) };
    const { token, kid } = await dataOf<Required<Made>>(url, await post('tokens', wanted, session));
    return { token, kid };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error;
    throw new AppError('forbidden', `${username} may sign in, but may not make a token. ${error.message}`, {
      remedy: `Have an administrator make one for ${username}, and give it to onair login ${url} on stdin.`,
    });
  } finally {
    // The session ends by itself, should the server be gone meanwhile.
    await post('logout', {}, session).then(
      (response) => response.resume(),
      () => undefined,
    );
  }
}

async function dataOf<T>(url: string, response: Awaited<ReturnType<typeof request>>): Promise<T> {
  const body = jsonOf((await bytesOf(response, { url })).toString());
  const { data } = (body ?? {}) as { data?: T };
  if ((response.statusCode ?? 500) < 300 && data !== undefined) return data;
  throw fromProblem(body, response.statusCode ?? 500);
}
