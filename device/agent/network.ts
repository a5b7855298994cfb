/**
 * The agent's ways to a control plane on another machine: it listens for one, or dials some. Where it serves its own machine, the server there
 * passes on the calls of those that share its store.
 */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../domain/time/clock.ts';
import type { Log } from '../../domain/base/log.ts';
import { AppError } from '../../domain/base/errors.ts';
import { agentApi, type AgentApiOptions } from './agent-api.ts';
import { DialOut, type DialOutOptions } from './dial/dial-out.ts';
import { joinServers } from './dial/join.ts';
import { AssetCache } from './files/asset-cache.ts';
import { filesOf } from './files/spec-files.ts';
import { httpServer, openNetworkListener, type NetworkListenerOptions } from './network-listener.ts';
import type { Refusal, RemoteCalls } from './owner-calls.ts';
import type { Pairing } from './pairing.ts';
import { memberSocket } from './paths.ts';
import { keySecret, type Credentials } from './psk.ts';
import { closeServer, listenOn } from './unix-server.ts';

export interface JoinSettings {
  /** Servers to dial; the Device keeps them. Left out: those that it has kept. */
  addresses?: readonly string[] | undefined;
  /** Needed until the Device has joined. */
  token?: string | undefined;
}

export interface NetworkOptions {
  deviceDir: string;
  listen?: { host: string; port: number } | undefined;
  join?: JoinSettings | undefined;
  /** Called when no server takes the Device, or a join token is missing. */
  onRefused?: ((error: AppError) => void) | undefined;
  show?: (credentials: Credentials, address: string) => void;
  log: Log;
}

export interface Network {
  /** host:port that other machines reach the agent at; undefined where it dials. */
  address: string | undefined;
  /** It is called once the pairing is forgotten: ends every channel of it, and shows the new credentials where the agent listens. */
  expel(credentials: Credentials): void;
  /** Another machine is this Device for the servers; left out where the agent does not dial. */
  refused?(words: Refusal): void;
  claimed?(): void;
  /** Whether no server has said that this machine is not the Device: what it was to run may go on while none can be asked. */
  readonly mayGoOn: boolean;
  close(): Promise<void>;
}

type Calls = Omit<AgentApiOptions, 'end' | 'unpair' | 'pairing' | 'remote'>;

export async function openNetwork(options: NetworkOptions, calls: Calls, pairing: Pairing): Promise<Network> {
  const { deviceDir, listen, join, show = () => undefined, log } = options;
  const isDialling = listen === undefined && (join !== undefined || pairing.joined !== undefined);
  const { fleet, push } = calls;
  const held = (): Set<string> => new Set(fleet.runs.flatMap(({ spec }) => filesOf(spec)));
  const assets = new AssetCache({ deviceDir, clock: systemClock, held });
  await assets.open();
  const isLocal = listen === undefined && !isDialling;
  const leave = async (): Promise<() => void> => {
    if (isLocal) throw new AppError('conflict', 'This Device is the machine of a server, and has no pairing.');
    await Promise.all([...fleet.runs.map(({ spec }) => fleet.stop(spec.runId)), push.set([])]);
    const credentials = await pairing.forget();
    return () => network.expel(credentials);
  };
  const refused: RemoteCalls['refused'] = async (words) => {
    network.refused?.(words);
    await fleet.resume([]);
    await Promise.all([...fleet.runs.map(({ spec }) => fleet.stop(spec.runId)), push.set([])]);
  };
  const claimed = (): void => network.claimed?.();
  const remote = { agentId: randomUUID(), assets, leave, pairing, refused, claimed };
  const fetch = agentApi({ ...calls, remote }).fetch as NetworkListenerOptions['fetch'];
  const network: Network = isLocal
    ? await openMemberSocket(deviceDir, fetch)
    : listen === undefined
      ? dialServers(options, pairing, fetch)
      : await openNetworkListener({ address: listen, pairing, fetch, log, show });
  return network;
}

async function openMemberSocket(deviceDir: string, fetch: NetworkListenerOptions['fetch']): Promise<Network> {
  const server = await listenOn(memberSocket(deviceDir), httpServer(fetch));
  return { address: undefined, expel: () => undefined, mayGoOn: true, close: () => closeServer(server) };
}

function dialServers(
  { deviceDir, join: { addresses, token } = {}, onRefused = () => undefined, log }: NetworkOptions,
  pairing: Pairing,
  fetch: NetworkListenerOptions['fetch'],
): Network {
  const ended = new AbortController();
  const joined: DialOutOptions['joined'] = () =>
    pairing.joined && { secret: keySecret(pairing.joined.key), addresses: pairing.joined.addresses };
  const dialOut = new DialOut({ joined, server: httpServer(fetch), log });
  const run = async (): Promise<void> => {
    if (pairing.joined === undefined) {
      if (token === undefined || addresses === undefined) throw missingToken();
      await joinServers({ deviceDir, addresses, token, pairing, log, signal: ended.signal });
    } else if (addresses !== undefined) await pairing.setAddresses(addresses);
    await dialOut.run();
    if (!ended.signal.aborted)
      log.warn(
        {},
        'This Device has no server any more. To join one again, start the agent with --join and a new token.',
      );
  };
  run().catch((error: unknown) => {
    if (error instanceof AppError) onRefused(error);
    else log.error({ err: error }, 'The Device cannot dial its servers.');
  });
  return {
    address: undefined,
    expel: () => dialOut.hangUp(),
    refused: (words) => dialOut.refused(words),
    claimed: () => dialOut.claimed(),
    get mayGoOn() {
      return dialOut.mayGoOn;
    },
    close: () => {
      ended.abort();
      dialOut.close();
      return Promise.resolve();
    },
  };
}

function missingToken(): AppError {
  return new AppError('invalid_input', 'This Device has not joined any server yet, and there is no join token.', {
    remedy: 'Set ONAIR_JOIN_TOKEN, or name a file with --token-file; createJoinToken makes one.',
  });
}
