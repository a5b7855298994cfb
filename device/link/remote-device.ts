/** The control plane's side of an agent on another machine: pairing, the link, and the media that its runs need there. */
import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock, type Clock } from '../../domain/clock.ts';
import { newChannelKey } from '../../domain/channel-key.ts';
import { capabilitiesField, parseDeviceAddress } from '../../domain/device.ts';
import { AppError, ruleViolated } from '../../domain/errors.ts';
import type {
  DeviceHello,
  DeviceNetwork,
  Forwarding,
  PairedLink,
  PairingCredentials,
} from '../../domain/device-link.ts';
import { connectDevice } from './agent-link.ts';
import type { Log } from '../../domain/log.ts';
import { dial, HINTS, keySecret, pairingSecret } from '../agent/psk.ts';
import { remoteRecordings } from './remote-recordings.ts';
import { placeChange, placeFiles } from '../agent/files/spec-files.ts';
import {
  callSocket,
  overWire,
  readBody,
  SocketTimeout,
  toAppError,
  wireHeaders,
  type NetworkWire,
  type Wire,
} from '../socket-http.ts';
import { MemberChannels } from './member-channels.ts';
import { OwnerToken } from './owner-token.ts';

/** A machine that answers does so within a round trip or two; one that is away must not hold the caller up. */
const PAIR_MS = 5000;
/** The agent ends its runs before it answers. */
const LEAVE_MS = 12_000;
const ASK_MS = 5000;
/** It is below the 25 s that a run has for its first evidence (control/start/run-spec.ts). A larger file goes on being sent. */
const SEND_WAIT_MS = 20_000;
/** A connection without a byte for so long is dead. The longest regular silence is at the end, when the Device's disk flushes the file. */
const SEND_SILENCE_MS = 60_000;

export interface NetworkOptions {
  log: Log;
  clock?: Clock;
  /** The folder for files from Devices, for this process alone; by default it is under the system's folder for temporary files. */
  dir?: string;
}

export function deviceNetwork({ log, clock = systemClock, dir = ownFolder() }: NetworkOptions): DeviceNetwork {
  // A server that was killed may have left files here.
  rmSync(dir, { recursive: true, force: true });
  const channels = new MemberChannels();
  return {
    pair: (address, credentials) => pairDevice(address, credentials),
    connect: (address, key, mustClaim = false) =>
      connectPaired(parseDeviceAddress(address), key, { log, clock, dir, mustClaim }),
    through: (way) => forwardedLink(channels, way, { log, clock, dir }),
  };
}

/**
 * Resolves with the key that both sides have from then on. Rejects with AppError rule_violated, conflict, rate_limited, upstream_failed or
 * timeout.
 */
async function pairDevice(address: string, credentials: PairingCredentials): Promise<string> {
  const key = newChannelKey();
  let hint = '';
  const wire = (): ReturnType<typeof dial> =>
    dial(parseDeviceAddress(address), pairingSecret(credentials), (text) => (hint = text));
  try {
    const reply = await callSocket({ socket: wire, method: 'POST', path: '/pair', body: { key }, timeoutMs: PAIR_MS });
    if (reply.status !== 200) throw toAppError(reply.body);
    return key;
  } catch (error) {
    throw error instanceof AppError ? error : pairingRefusal(address, hint, error);
  }
}

function pairingRefusal(address: string, hint: string, cause: unknown): AppError {
  if (cause instanceof SocketTimeout)
    return new AppError('timeout', `No Device agent answers at ${address} within ${PAIR_MS / 1000} s.`, { cause });
  if (hint === HINTS.paired)
    return new AppError(
      'conflict',
      `The agent at ${address} is paired already. Run \`onair device unpair\` on that machine, then send the new credentials that it shows.`,
      { cause },
    );
  if (hint === HINTS.paused)
    return new AppError(
      'rate_limited',
      `The agent at ${address} takes no pairing for 30 s after too many wrong tries.`,
      {
        retryAfterSeconds: 30,
        cause,
      },
    );
  if (hint === HINTS.unpaired && (cause as NodeJS.ErrnoException).code === 'EPROTO') {
    const message = 'are not what the agent shows; it has new ones after each start';
    return ruleViolated(
      `The agent at ${address} refused the credentials: register_username and register_password ${message}.`,
      [{ field: 'register_password', code: 'wrong_credentials', message }],
    );
  }
  const why = (cause as NodeJS.ErrnoException).code ?? 'no agent';
  return new AppError(
    'upstream_failed',
    `No Device agent could be reached at ${address} (${why}). Start it there with \`onair device --listen <address:port>\`.`,
    { cause },
  );
}

function ownFolder(): string {
  return join(tmpdir(), `onair-brought-${process.pid}`);
}

function connectPaired(address: { host: string; port: number }, key: string, options: LinkOptions): PairedLink {
  const secret = keySecret(key);
  return pairedLink(() => dial(address, secret), options);
}

/** Number of links through other servers that this process has opened. */
let forwarded = 0;

function forwardedLink(
  channels: MemberChannels,
  { deviceId, address, key, token }: Forwarding,
  options: Required<NetworkOptions>,
): PairedLink {
  forwarded += 1;
  const ownDir = join(options.dir, `forwarded-${forwarded}`);
  const open = (): Duplex => channels.open(address, key, deviceId);
  return pairedLink(open, { ...options, dir: ownDir, mustClaim: false, token });
}

export type LinkOptions = Required<NetworkOptions> & {
  /** Calls are refused until the Device was claimed. */
  mustClaim: boolean;
  /** The token of the server that has claimed it, where that is another. */
  token?: number | undefined;
};

/** The link over a channel that `open` opens. */
export function pairedLink(
  open: () => Duplex,
  { log, clock, dir, mustClaim, token: othersToken }: LinkOptions,
): PairedLink {
  const owner = new OwnerToken(mustClaim);
  if (othersToken !== undefined) owner.useToken(othersToken);
  const wire: NetworkWire = Object.assign(() => open(), { headers: () => owner.headers });
  const link = connectDevice({ socket: wire, log, clock });
  /** Transfers under way, by tag: a second start with the same file waits for the first. */
  const sending = new Map<string, Promise<string>>();

  async function place(path: string): Promise<string> {
    const tag = await tagOf(path);
    let transfer = sending.get(tag);
    if (transfer === undefined) {
      transfer = bring(wire, tag, path).finally(() => sending.delete(tag));
      // Each start that waits for the transfer gets its error; one that comes when all have given up must not end the process.
      transfer.catch(() => undefined);
      sending.set(tag, transfer);
    }
    return within(
      transfer,
      clock,
      `${basename(path)} is still being sent to the Device; start again when it is there.`,
    );
  }

  return {
    ...link,
    recordings: remoteRecordings(link, { wire, dir, clock }),
    hello: async () => checkedHello(await link.hello()),
    prepare: (spec) => placeFiles(spec, place),
    change: async (runId, change, changeId) => link.change(runId, await placeChange(change, place), changeId),
    claim: (token) => owner.claim(open, token),
    channel: open,
    async unpair() {
      const reply = await callSocket({ socket: wire, method: 'DELETE', path: '/pairing', timeoutMs: LEAVE_MS });
      if (reply.status !== 200) throw toAppError(reply.body);
    },
  };
}

/** Fields of it are stored and answered by other calls: an agent of another version must not break those. */
function checkedHello(hello: DeviceHello): DeviceHello {
  const capabilities = capabilitiesField.strip().safeParse(hello.capabilities);
  const { cores, mediaUrl, runs } = hello;
  if (capabilities.success && cores > 0 && Number.isFinite(cores) && URL.canParse(mediaUrl) && Array.isArray(runs))
    return { ...hello, capabilities: capabilities.data };
  throw new AppError(
    'upstream_failed',
    'The Device agent tells what this server does not understand; run one version.',
  );
}

/** An Asset is never written again under its name: size, inode and time of change tell one content from another. */
async function tagOf(path: string): Promise<string> {
  const { size, ino, mtimeNs } = await stat(path, { bigint: true }).catch((cause: unknown) => {
    throw new AppError('not_found', `The file ${basename(path)} is missing in the asset folder of this server.`, {
      cause,
    });
  });
  const hash = createHash('sha256').update(`${path}\0${ino}\0${mtimeNs}`).digest('hex').slice(0, 16);
  return `${size}-${hash}`;
}

/** Resolves with the file's path on the Device; the file is sent unless it is there already. */
async function bring(wire: Wire, tag: string, path: string): Promise<string> {
  const target = `/assets/${tag}/${encodeURIComponent(basename(path))}`;
  try {
    const reply = await callSocket({ socket: wire, method: 'GET', path: target, timeoutMs: ASK_MS });
    return reply.status === 404 ? await send(wire, target, tag, path) : pathIn(reply);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('unavailable', `${basename(path)} could not be sent to the Device.`, { cause: error });
  }
}

async function send(wire: Wire, target: string, tag: string, path: string): Promise<string> {
  const length = Number(tag.split('-')[0]);
  const outgoing = request({
    ...overWire(wire),
    method: 'PUT',
    path: target,
    // A Device that refuses early would close the connection while more is being sent, and its answer would be lost.
    headers: { ...wireHeaders(wire), 'content-length': length, connection: 'keep-alive' },
  });
  outgoing.setTimeout(SEND_SILENCE_MS, () => outgoing.destroy(new Error('The Device takes nothing.')));
  const answer = new Promise<Awaited<ReturnType<typeof readBody>>>((resolve, reject) => {
    outgoing.once('response', (reply) => void readBody(reply).then(resolve, reject));
    outgoing.on('error', reject);
  });
  // A file that grew meanwhile must not exceed the length that was announced.
  const content = createReadStream(path, length === 0 ? {} : { end: length - 1 });
  // A broken pipe breaks the request too, unless the Device has answered before: then the answer counts.
  pipeline(content, outgoing).catch(() => undefined);
  try {
    return pathIn(await answer);
  } finally {
    outgoing.destroy();
  }
}

function pathIn({ status, body }: Awaited<ReturnType<typeof readBody>>): string {
  const path = (body as { path?: unknown } | null)?.path;
  if (status !== 200 || typeof path !== 'string') throw toAppError(body);
  return path;
}

function within<T>(task: Promise<T>, clock: Clock, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(SEND_WAIT_MS, () => reject(new AppError('upstream_failed', late)));
    void task.then(resolve, reject).finally(cancel);
  });
}
