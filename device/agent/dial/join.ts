/** The first contact of a Device that joins: over the channel of a join token it gets the key that it has from then on. */
import { randomUUID } from 'node:crypto';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { Server as HttpServer } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { joinIdentity, parseJoinToken } from '../../../domain/shapes/sources/channel-key.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { Log } from '../../../domain/base/log.ts';
import { pause } from '../../../domain/time/pause.ts';
import { readJson, writeAtomic } from '../../atomic-file.ts';
import { refuseCall } from '../agent-api.ts';
import type { Pairing } from '../pairing.ts';
import { endOf } from '../../session-heartbeat.ts';
import { openChannel, serveOver, type DialFailure } from './dial-out.ts';

export interface JoinOptions {
  deviceDir: string;
  addresses: readonly string[];
  token: string;
  pairing: Pairing;
  log: Log;
  signal: AbortSignal;
}

/** The server answers within a commit; it may wait for its database meanwhile. */
const JOIN_MS = 15_000;
const TRY_MS = 5000;
const PAUSE_MS = 500;
/** A server learns of a new token within milliseconds; one that has not heard of it after so many rounds never will. */
const REFUSED_ROUNDS = 3;

/**
 * Resolves once the Device has its key, or the signal fires. Servers that are away are tried again. Rejects with AppError invalid_input
 * for a text that is no token, and with rule_violated when a server says why it takes the Device not.
 */
export async function joinServers(options: JoinOptions): Promise<void> {
  const { addresses, token, pairing, log, signal } = options;
  const parsed = parseJoinToken(token);
  if (parsed === undefined)
    throw new AppError('invalid_input', 'ONAIR_JOIN_TOKEN, or the file of --token-file, is no join token.', {
      remedy: 'Copy the whole token that createJoinToken or `onair device-token create` has shown.',
    });
  const secret = { identity: joinIdentity(parsed.kid), psk: Buffer.from(parsed.key, 'base64url') };
  let logged = '';
  let refusedRounds = 0;
  while (!signal.aborted && pairing.joined === undefined) {
    const failures: DialFailure[] = [];
    for (const address of addresses) {
      if (signal.aborted) return;
      const opened = await openChannel(address, secret, TRY_MS);
      if (typeof opened === 'string') failures.push(opened);
      else if (await new Joining(options).over(opened)) return;
      else failures.push('away');
    }
    refusedRounds = failures.every((failure) => failure === 'refused') ? refusedRounds + 1 : 0;
    if (refusedRounds === REFUSED_ROUNDS) throw unknownToken(addresses);
    const state = failures.join();
    if (state !== logged) log.warn({ addresses, answers: failures }, 'The Device could not join yet; it tries again.');
    logged = state;
    await pause(PAUSE_MS, signal);
  }
}

function unknownToken(addresses: readonly string[]): AppError {
  return new AppError('rule_violated', `No server at ${addresses.join(', ')} knows this join token.`, {
    remedy: 'Make a new one with createJoinToken on that installation, and join with it.',
  });
}

/** One channel over which the server asks who joins, and gives a key or the reason why not. */
class Joining {
  private readonly options: JoinOptions;
  private refusal: AppError | undefined;
  private hasKey = false;

  constructor(options: JoinOptions) {
    this.options = options;
  }

  /** Resolves with false when the server went away without an answer. Rejects with its refusal. */
  async over(socket: Parameters<typeof serveOver>[0]): Promise<boolean> {
    const session = serveOver(socket, this.server());
    const timer = setTimeout(() => session.destroy(), JOIN_MS);
    await endOf(socket);
    clearTimeout(timer);
    if (this.refusal !== undefined) throw this.refusal;
    return this.hasKey;
  }

  private server(): HttpServer {
    const { deviceDir, pairing, addresses, log } = this.options;
    const app = new Hono();
    app.get('/machine', (context) => context.json({ machineId: machineId(deviceDir), name: hostname() }));
    app.post('/pair', async (context) => {
      const { key, deviceId, name } = await context.req.json<Record<string, unknown>>();
      await pairing.accept(key, addresses);
      this.hasKey = true;
      log.info({ deviceId, name }, 'The Device has joined.');
      return context.json({ paired: true });
    });
    app.post('/refuse', async (context) => {
      const { detail, remedy } = await context.req.json<{ detail?: unknown; remedy?: unknown }>();
      this.refusal = new AppError('rule_violated', String(detail), { remedy: String(remedy) });
      return context.json({});
    });
    refuseCall(app, log);
    return createAdaptorServer({ fetch: app.fetch as never }) as HttpServer;
  }
}

/** The id stays with the folder, so that a Device whose answer was lost is the same when it joins again. */
function machineId(deviceDir: string): string {
  const path = join(deviceDir, 'machine-id');
  const present = readJson(path);
  if (typeof present === 'string') return present;
  const id = randomUUID();
  try {
    writeAtomic(path, JSON.stringify(id));
  } catch (error) {
    throw new AppError('unavailable', 'The Device cannot write to its directory.', { cause: error });
  }
  return id;
}
