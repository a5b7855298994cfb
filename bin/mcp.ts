/** `onair mcp` is the stdio server of an assistant. It talks to the running control plane and starts one when none runs. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/base/errors.ts';
import type { Log } from '../domain/base/log.ts';
import type { ServerAddress } from '../mcp/forward.ts';
import { runStdio } from '../mcp/stdio.ts';
import { profileByName } from '../profiles/profiles.ts';
import { isHeld } from '../store/files/lock.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { BackgroundServer } from './server/background.ts';
import { watchSilence } from './client/silence.ts';
import { loadConfig, type Config } from './settings/config.ts';
import { resolveTarget } from './settings/credentials.ts';
import { assertTrustedListener } from './server/listener.ts';
import { ownUrl } from './settings/own-address.ts';
import { serverZone } from './server/server-zone.ts';
import { trustFor } from './settings/trust.ts';
import { VERSION } from './version.ts';

/** A first start opens the store, probes ffmpeg and starts the Device agent: a few seconds on a busy machine. */
const READY_BOUND_MS = 30_000;
/** The server may be restarting, which takes less than this; only then another one is started here. */
const RETURN_BOUND_MS = 3000;
/** Another process that has the data folder is ready by then, or it listens somewhere else. */
const TWIN_BOUND_MS = 10_000;

/** Starts this machine's server; undefined in a program that holds no server. */
type Start = ((config: Config) => BackgroundServer) | undefined;

export async function mcp(flags: Record<string, unknown>, start: Start): Promise<void> {
  const config = loadConfig(flags, process.env, process.cwd());
  await runStdio({
    connect: (wasReached) => connect(config, wasReached, start),
    profile: profileByName(config.profile),
    timezone: () => zoneOf(config),
    version: VERSION,
    catalogue,
    log,
  });
  process.exit(0);
}

/** Writes lines for a person who looks into the log of the assistant. */
const write = ({ err }: { err?: Error }, message: string): void =>
  void process.stderr.write(`onair: ${message}${err === undefined ? '' : `: ${err.message}`}\n`);
const log: Log = { info: write, warn: write, error: write };

/** undefined where no server answers yet: a server that is started later may have other settings than this process. */
async function zoneOf(config: Config): Promise<string | undefined> {
  try {
    return await serverZone(resolveTarget(config).url);
  } catch {
    // The first call says why.
    return undefined;
  }
}

/** The tools are loaded when the list is requested, so that initialize is answered before. */
async function catalogue(): Promise<Catalogue> {
  const [{ operations }, { workflows }, { createCatalogue }] = await Promise.all([
    import('../tools/index.ts'),
    import('../workflows/index.ts'),
    import('../toolkit/catalogue.ts'),
  ]);
  return createCatalogue(operations, workflows);
}

/** Finds the server and the token for it; starts one in the background when this machine's own does not answer. */
async function connect(config: Config, wasReached: boolean, start: Start): Promise<ServerAddress> {
  const { isElsewhere, ...found } = resolveTarget(config);
  let { url } = found;
  const isReady = async (): Promise<boolean> => (await whoAnswers(url)) === 'ready';
  const answerer = await whoAnswers(url);
  if (answerer === 'stranger') throw stranger(url);
  // A server that stays not ready can still be read from, and says itself what it cannot do.
  if (answerer === 'not ready') await isSoon(isReady, RETURN_BOUND_MS);
  if (answerer === 'nobody' && !(wasReached && (await isSoon(isReady, RETURN_BOUND_MS)))) {
    if (start === undefined || process.env['ONAIR_URL'] || isElsewhere === true)
      throw new AppError(
        'unavailable',
        `No server answers at ${url}${process.env['ONAIR_URL'] ? ' (ONAIR_URL)' : ''}. Start it there with: onair serve`,
      );
    await waitUntilReady(config, start(config));
    ({ url } = resolveTarget(config));
  }
  const { token } = resolveTarget(config);
  if (token === undefined) {
    throw new AppError(
      'unauthenticated',
      `There is no token for ${url}: set ONAIR_TOKEN to one that an administrator made with: onair token create <name>`,
      { remedy: 'Set ONAIR_TOKEN, and start this process again.' },
    );
  }
  return {
    url,
    token,
    trust: await trustFor(url),
    assertTrusted: () => assertTrustedListener(url),
    watchSilence: (giveUp) => watchSilence(new URL(url), giveUp),
  };
}

async function isSoon(probe: () => Promise<boolean>, boundMs: number, signal?: AbortSignal): Promise<boolean> {
  const until = performance.now() + boundMs;
  do {
    await sleep(100);
    if (await probe()) return true;
  } while (performance.now() < until && signal?.aborted !== true);
  return false;
}

/** `nobody` includes a proxy that finds no server behind it. */
type Answerer = 'ready' | 'not ready' | 'nobody' | 'stranger';
const BY_STATUS: Readonly<Record<string, Answerer>> = { ready: 'ready', not_ready: 'not ready' };

async function whoAnswers(url: string): Promise<Answerer> {
  try {
    const response = await ask(new URL(`${url}/readyz`), AbortSignal.timeout(2000));
    // A body that is no JSON shows that another program answers, which the lines below find.
    const body = (await response.json().catch(() => undefined)) as { status?: unknown; store?: unknown } | undefined;
    const own = body?.store === undefined ? undefined : BY_STATUS[String(body.status)];
    return own ?? ([502, 503, 504].includes(response.status) ? 'nobody' : 'stranger');
  } catch {
    // A server that does not listen and one that does not answer in time are the same here: nobody is there to talk to.
    return 'nobody';
  }
}

/** Answers as fetch does, which cannot be given the certificate of this machine's own server. */
async function ask(url: URL, signal: AbortSignal): Promise<Pick<Response, 'status' | 'json'>> {
  const trust = await trustFor(url.origin);
  if (trust === undefined) return fetch(url, { signal });
  const { get } = await import('node:https');
  const [response] = (await once(get(url, { ...trust, signal, agent: false }), 'response')) as [IncomingMessage];
  return new Response(Readable.toWeb(response) as ReadableStream<Uint8Array>, { status: response.statusCode ?? 502 });
}

function stranger(url: string): AppError {
  const detail = `What answers at ${url} is another program, not onair. Give onair another port (ONAIR_PORT), or name its server (ONAIR_URL).`;
  return new AppError('unavailable', detail);
}

async function waitUntilReady(config: Config, { ended }: BackgroundServer): Promise<void> {
  const isUsable = async (): Promise<boolean> =>
    (await whoAnswers(resolveTarget(config).url)) === 'ready' && resolveTarget(config).token !== undefined;
  const stop = new AbortController();
  const isUp = isSoon(isUsable, READY_BOUND_MS, stop.signal);
  const reason = await Promise.race([isUp.then(() => undefined), ended]);
  // Two assistants that start at once both start a server, and one of these finds the folder taken: the other will do.
  const isTwin = reason !== undefined && (await isHeld(join(config.data, 'store')));
  const isThere = isTwin ? await isSoon(isUsable, TWIN_BOUND_MS) : reason === undefined && (await isUp);
  stop.abort();
  if (isThere) return;
  const log = join(config.data, 'serve.log');
  throw new AppError(
    'unavailable',
    reason === undefined
      ? `The server that was started does not answer at ${ownUrl(config)}; see ${log}.`
      : `The server for ${ownUrl(config)} could not be started: ${reason} (log: ${log})`,
  );
}
