/** Checks an account of the managed cloud platform, which is another deployment of this service, through its own API. */
import { platformCaller, type CloudAccount } from '../../domain/shapes/devices/cloud-account.ts';
import { jsonOf } from '../../domain/base/json.ts';
import type { Finding } from '../../domain/base/validation.ts';
import { exchange, findingOf, quote, type Exchanged } from '../exchange.ts';

/** Two calls fit into the bound of a validation. */
const TIMEOUT_MS = 7_000;
const MAX_BYTES = 262_144;

export async function checkCloudAccount(
  cloudUrl: string | undefined,
  account: Readonly<CloudAccount>,
  signal: AbortSignal,
): Promise<Finding> {
  const wrong = (reason: string): Finding => ({ valid: false, reason });
  if (cloudUrl === undefined)
    return wrong(
      'No cloud platform is configured: set ONAIR_CLOUD_URL (setting cloudUrl) to its URL and restart the service.',
    );
  if (!account.enabled)
    return wrong('The Cloud account is disabled, so nothing is tried with it; set enabled to true first.');
  try {
    const me = await read(cloudUrl, '/security/me', account, signal);
    if (me.status === 200) return callerFinding(me, account);
    // A deployment that does not tell its caller's identity still tells whether a token is good: this read is open to each role.
    const answer = me.status === 404 ? await read(cloudUrl, '/livestreams?pageSize=1', account, signal) : me;
    if (answer.status === 200) return { valid: true };
    return wrong(refusalOf(new URL(cloudUrl).host, answer, account));
  } catch (error) {
    return findingOf(error);
  }
}

function read(
  cloudUrl: string,
  path: string,
  account: Readonly<CloudAccount>,
  signal: AbortSignal,
): Promise<Exchanged> {
  return exchange({
    service: 'cloud platform',
    url: new URL(`${cloudUrl.replace(/\/+$/u, '')}/svcapiv2${path}`),
    method: 'GET',
    headers: { authorization: `Bearer ${account.password}`, accept: 'application/json' },
    secrets: [account.password],
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
}

function callerFinding({ text }: Exchanged, { client_id, password }: Readonly<CloudAccount>): Finding {
  const parsed = platformCaller.safeParse(jsonOf(text));
  if (!parsed.success)
    return {
      valid: false,
      reason: 'The cloud platform does not tell who its caller is as this API does; is ONAIR_CLOUD_URL right?',
    };
  const { id, username } = parsed.data.data;
  if (String(id) === client_id) return { valid: true };
  const reason = `The password is a token of user ${id} (${quote(username, [password])}) of the cloud platform, not of user ${quote(client_id, [password])}; correct client_id or password.`;
  return { valid: false, reason };
}

function refusalOf(host: string, { status, text }: Exchanged, { password }: Readonly<CloudAccount>): string {
  const who = `The cloud platform at ${host}`;
  if (status === 401)
    return `${who} refuses the password (HTTP 401): the token is unknown, expired or revoked, or its user is not active.`;
  if (status === 403) return `${who} does not let this user in (HTTP 403); ask for its role there.`;
  if (status === 404) return `${who} does not speak this API (HTTP 404); correct ONAIR_CLOUD_URL.`;
  const reply = quote(text, [password]);
  return `${who} failed (HTTP ${status}).${reply === '' ? '' : ` It said: ${reply}`}`;
}
