/** `onair mcp`: the stdio server of an assistant. It talks to the running control plane and starts one when none runs. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { runStdio } from '../mcp/stdio.ts';
import { profileByName } from '../profiles/profiles.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { Log } from '../toolkit/tool.ts';
import { loadConfig, type Config } from './config.ts';
import { resolveTarget } from './credentials.ts';
import { VERSION } from './version.ts';

/** A first start opens the store, probes ffmpeg and starts the Device agent: a few seconds on a busy machine. */
const READY_BOUND_MS = 30_000;
/** Whoever runs the server may be restarting it: that comes first, before another one is started here. */
const RETURN_BOUND_MS = 3000;

/** Brings up this machine's server; a program that holds no server has none. */
type Start = ((config: Config) => void) | undefined;

export async function mcp(flags: Record<string, unknown>, start: Start): Promise<void> {
  const config = loadConfig(flags, process.env, process.cwd());
  await runStdio({
    connect: (wasReached) => connect(config, wasReached, start),
    profile: profileByName(config.profile),
    version: VERSION,
    catalogue,
    log,
  });
  process.exit(0);
}

/** Lines for a person who looks into the log of the assistant. */
const tell = ({ err }: { err?: Error }, message: string): void =>
  void process.stderr.write(`onair: ${message}${err === undefined ? '' : `: ${err.message}`}\n`);
const log: Log = { info: tell, warn: tell, error: tell };

/** The tools are read when the list is asked for: initialize is answered before. */
async function catalogue(): Promise<Catalogue> {
  const [{ operations }, { workflows }, { createCatalogue }] = await Promise.all([
    import('../tools/index.ts'),
    import('../workflows/index.ts'),
    import('../toolkit/catalogue.ts'),
  ]);
  return createCatalogue(operations, workflows);
}

/** Where the server is and with which token to speak; starts one in the background when this machine's own does not answer. */
async function connect(config: Config, wasReached: boolean, start: Start): Promise<{ url: string; token: string }> {
  const { url } = resolveTarget(config);
  if (!(await isReady(url)) && !(wasReached && (await isSoon(() => isReady(url), RETURN_BOUND_MS)))) {
    if (start === undefined || process.env['ONAIR_URL'])
      throw new AppError('unavailable', `No server answers at ${url} (ONAIR_URL). Start it there with: onair serve`);
    start(config);
    await waitUntilReady(url, config);
  }
  const { token } = resolveTarget(config);
  if (token === undefined) {
    throw new AppError(
      'unauthenticated',
      `There is no token for ${url}: set ONAIR_TOKEN to one that an administrator made with: onair token create <name>`,
    );
  }
  return { url, token };
}

async function isSoon(probe: () => Promise<boolean>, boundMs: number): Promise<boolean> {
  const until = performance.now() + boundMs;
  do {
    await sleep(100);
    if (await probe()) return true;
  } while (performance.now() < until);
  return false;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    // Not listening, or not answering in time: both mean that nobody is there to talk to.
    return false;
  }
}

async function waitUntilReady(url: string, config: Config): Promise<void> {
  // On a first start the token is written a moment after the server answers.
  const isUsable = async (): Promise<boolean> => (await isReady(url)) && resolveTarget(config).token !== undefined;
  if (await isSoon(isUsable, READY_BOUND_MS)) return;
  throw new AppError(
    'unavailable',
    `The server that was started does not answer at ${url}; see ${join(config.data, 'serve.log')}.`,
  );
}
