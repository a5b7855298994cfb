/** The control plane's side of an agent on another machine: pairing, the link, and the media that its runs need there. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { newChannelKey } from '../../domain/shapes/sources/channel-key.ts';
import { parseDeviceAddress } from '../../domain/shapes/devices/device.ts';
import { AppError, ruleViolated } from '../../domain/base/errors.ts';
import type { DeviceNetwork, Forwarding, PairedLink, PairingCredentials } from '../../domain/ports/device-link.ts';
import { connectDevice } from './agent-link.ts';
import type { Log } from '../../domain/base/log.ts';
import { dial, HINTS, keySecret, pairingSecret } from '../agent/psk.ts';
import { remoteRecordings } from './remote-recordings.ts';
import { placeChange, placeFiles } from '../agent/files/spec-files.ts';
import { callSocket, SocketTimeout, toAppError, type NetworkWire } from '../socket-http.ts';
import type { Connection } from '../stream-socket.ts';
import { MemberChannels } from './member-channels.ts';
import { MemberWatches } from './member-watch.ts';
import { OwnerToken } from './owner-token.ts';
import { filePlacer, type MediaFiles } from './remote-files.ts';

/** A machine that answers does so within a round trip or two; one that is away must not hold the caller up. */
const PAIR_MS = 5000;
/** The agent ends its runs before it answers. */
const LEAVE_MS = 12_000;

export interface NetworkOptions {
  log: Log;
  clock?: Clock;
  /** The folder for files from Devices, for this process alone; by default it is under the system's folder for temporary files. */
  dir?: string;
  /** The files of Assets; without it every path in a spec is that of a file of this machine. */
  media?: MediaFiles | undefined;
}

type LinkDeps = Required<Omit<NetworkOptions, 'media'>> & Pick<NetworkOptions, 'media'>;

export function deviceNetwork({ log, clock = systemClock, dir = ownFolder(), media }: NetworkOptions): DeviceNetwork {
  // A server that was killed may have left files here.
  rmSync(dir, { recursive: true, force: true });
  const channels = new MemberChannels();
  const watches = new MemberWatches({ channels, log, clock });
  const deps = { log, clock, dir, media };
  return {
    pair: (address, credentials) => pairDevice(address, credentials),
    connect: (address, key, mustClaim = false) =>
      connectPaired(parseDeviceAddress(address), key, { ...deps, mustClaim }),
    through: (way) => forwardedLink(channels, watches, way, deps),
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
  watches: MemberWatches,
  { deviceId, address, key, token }: Forwarding,
  options: LinkDeps,
): PairedLink {
  forwarded += 1;
  const ownDir = join(options.dir, `forwarded-${forwarded}`);
  const open = (): Connection => channels.open(address, key, deviceId);
  const link = pairedLink(open, { ...options, dir: ownDir, mustClaim: false, token });
  return {
    ...link,
    watch(onMessage, onState) {
      const byChannel = (): (() => void) => link.watch(onMessage, onState);
      return watches.watch({ address, key, deviceId }, { onMessage, onState, byChannel });
    },
  };
}

export type LinkOptions = LinkDeps & {
  /** Calls are refused until the Device was claimed. */
  mustClaim: boolean;
  /** The token of the server that has claimed it, where that is another. */
  token?: number | undefined;
};

/** The link over a channel that `open` opens. */
export function pairedLink(
  open: () => Connection,
  { log, clock, dir, media, mustClaim, token: othersToken }: LinkOptions,
): PairedLink {
  const owner = new OwnerToken(mustClaim);
  if (othersToken !== undefined) owner.useToken(othersToken);
  const wire: NetworkWire = Object.assign(() => open(), { headers: () => owner.headers });
  const link = connectDevice({ socket: wire, log, clock });
  const place = filePlacer({ wire, media, clock, log });

  return {
    ...link,
    recordings: remoteRecordings(link, { wire, dir, clock }),
    prepare: (spec) => placeFiles(spec, place),
    change: async (runId, change, changeId) => link.change(runId, await placeChange(change, place), changeId),
    claim: (token, ordered) => owner.claim(open, token, ordered),
    channel: open,
    async unpair() {
      const reply = await callSocket({ socket: wire, method: 'DELETE', path: '/pairing', timeoutMs: LEAVE_MS });
      if (reply.status !== 200) throw toAppError(reply.body);
    },
  };
}
