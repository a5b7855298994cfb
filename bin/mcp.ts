/** `onair mcp`: the stdio server of an assistant. It talks to the running control plane and starts one when none runs. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLogFile } from '../device/log-file.ts';
import { selfCommand } from '../device/self-command.ts';
import { AppError } from '../domain/errors.ts';
import { runStdio } from '../mcp/stdio.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import { profileByName } from '../profiles/profiles.ts';
import { loadConfig, type Config } from './config.ts';
import { resolveTarget } from './credentials.ts';
import { VERSION } from './version.ts';

/** A first start opens the store, probes ffmpeg and starts the Device agent: a few seconds on a busy machine. */
const READY_BOUND_MS = 30_000;

export async function mcp(flags: Record<string, unknown>): Promise<void> {
  const config = loadConfig(flags, process.env, process.cwd());
  await runStdio({
    connect: () => connect(config),
    profile: profileByName(config.profile),
    version: VERSION,
    catalogue,
  });
  process.exit(0);
}

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
async function connect(config: Config): Promise<{ url: string; token: string }> {
  const remote = Boolean(process.env['ONAIR_URL']);
  if (!(await isReady(resolveTarget(config).url))) {
    if (remote)
      throw new AppError(
        'unavailable',
        `No server answers at ${resolveTarget(config).url} (ONAIR_URL). Start it there.`,
      );
    startInBackground(config);
    await waitUntilReady(resolveTarget(config).url, config);
  }
  const { url, token } = resolveTarget(config);
  if (token === undefined) {
    throw new AppError(
      'unauthenticated',
      `There is no token for ${url}: set ONAIR_TOKEN to one that an administrator made with: onair token create <name>`,
    );
  }
  return { url, token };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    // Not listening, or not answering in time: both mean that nobody is there to talk to.
    return false;
  }
}

/** Detached with its own log: an assistant that quits never takes a broadcast off air. */
function startInBackground(config: Config): void {
  mkdirSync(config.data, { recursive: true });
  const log = openLogFile(join(config.data, 'serve.log'));
  const flags = [
    '--data',
    config.data,
    '--host',
    config.host,
    '--port',
    String(config.port),
    '--media-port',
    String(config.mediaPort),
  ];
  const [command, args] = selfCommand('serve', ...flags);
  // The profile of this process narrows its own door, not the server that others use too.
  const { TOOL_PROFILE: _own, ...env } = process.env;
  spawn(command, args, { detached: true, stdio: ['ignore', log, log], env }).unref();
  process.stderr.write(
    `onair: no server runs at http://${config.host}:${config.port}; started one in the background (log: ${join(config.data, 'serve.log')})\n`,
  );
}

async function waitUntilReady(url: string, config: Config): Promise<void> {
  const until = Date.now() + READY_BOUND_MS;
  while (Date.now() < until) {
    if ((await isReady(url)) && resolveTarget(config).token !== undefined) return;
    await sleep(100);
  }
  throw new AppError(
    'unavailable',
    `The server that was started does not answer at ${url}; see ${join(config.data, 'serve.log')}.`,
  );
}
