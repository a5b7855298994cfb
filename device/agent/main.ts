/**
 * The Device agent of this machine: it starts runners, adopts those of an earlier agent, and serves their media over HTTP. It may end and
 * come back at any moment; broadcasts do not notice.
 */
import { createAdaptorServer } from '@hono/node-server';
import { mkdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { IngestAddress } from '../../domain/shapes/sources/ingest.ts';
import { isTake } from '../../domain/shapes/media/recording.ts';
import { EncodingTrialRun } from './trials/encoding-trial.ts';
import { capabilityProbe } from './capability-probe.ts';
import { certifiedHost, type TlsPair } from '../delivery/tls-pair.ts';
import { tryHardware } from './trials/hardware-trial.ts';
import { sandboxTrial } from './trials/sandbox-trial.ts';
import { Signals } from './signals.ts';
import { closeServer, listenOn } from './unix-server.ts';
import { boundLog } from '../log-file.ts';
import { coresHere } from '../../linux/machine-load.ts';
import { networkCards } from '../../linux/network-cards.ts';
import { keepNetworks, NOT_KEPT } from '../network-rules.ts';
import { bootId, identify } from '../process.ts';
import { agentApi, type AgentApiOptions } from './agent-api.ts';
import { Audience } from './audience/audience.ts';
import { Fleet } from './runs/fleet.ts';
import { acquireLock } from './lock.ts';
import type { Log } from '../../domain/base/log.ts';
import { openMediaServer, reachableHost } from './media-server.ts';
import { openNetwork, type JoinSettings } from './network.ts';
import { Pairing } from './pairing.ts';
import {
  agentLogFile,
  agentRecordFile,
  agentSocket,
  folderId,
  formerLife,
  formerMediaPort,
  stoppedFile,
  readAgentRecord,
  type AgentHealth,
  type AgentRecord,
  type FormerLife,
} from './paths.ts';
import type { Credentials } from './psk.ts';
import { PushSupervisor } from './push-supervisor.ts';
import { probeSource } from '../probe/probe.ts';
import { pushedPicture } from '../probe/pushed-picture.ts';
import { readPushed } from '../push/push-reader.ts';
import { pushFiles } from '../push/push-paths.ts';
import { Recordings } from './recordings/recordings.ts';
import { StorageWatch } from './storage/storage-watch.ts';
import { StoreMarkFile } from './files/store-mark-file.ts';
import { writeJson } from '../atomic-file.ts';

export interface AgentOptions {
  deviceDir: string;
  /** The address that the HTTP delivery listens on. */
  host: string;
  /** 0 means the port of the last agent in this directory, or any. */
  mediaPort: number;
  /** The address for a control plane on another machine; without it the agent serves this machine only. */
  listen?: { host: string; port: number };
  /** Servers that the agent dials, in place of listening. */
  join?: JoinSettings | undefined;
  /** Called when no server takes the Device, or it needs a join token that is missing. */
  onRefused?: ((error: AppError) => void) | undefined;
  /** Shows one-time credentials to the person at the Device: at the start of an unpaired agent that listens, and when it was unpaired. */
  show?: (credentials: Credentials, address: string) => void;
  /** The address that encoders push to, where it is not that of the HTTP delivery. */
  ingestHost?: string | undefined;
  /** ONAIR_INGEST_URL: where a router in between takes encoders. */
  ingestUrl?: string | undefined;
  /** With it the HTTP delivery speaks TLS alone. */
  tls?: TlsPair | undefined;
  /** The program and those of its settings that a running agent cannot change; the control plane replaces an agent that has others. */
  program?: string | undefined;
  /** ONAIR_SOURCE_NETWORKS, stored for the runners. */
  sourceNetworks?: string | undefined;
  log: Log;
}

export interface RunningAgent {
  /** Ends the agent; broadcasts stay on air. */
  close(): Promise<void>;
  /** Resolves when the agent has ended, by `close`, a signal or a call. */
  closed: Promise<void>;
  mediaUrl: string;
  socket: string;
  /** host:port that other machines reach the agent at. */
  address: string | undefined;
}

/** The servers are asked whether runs of which nothing was left are still this machine's. Where none is reached in this time, they go on. */
const ASKING_MS = 15_000;
/** An agent that ends releases its directory within some ms. */
const LOCK_WAIT_MS = 500;

/** Rejects with AppError conflict when another agent serves the directory. */
export async function runAgent(options: AgentOptions): Promise<RunningAgent> {
  const { log } = options;
  const deviceDir = resolve(options.deviceDir);
  await mkdir(deviceDir, { recursive: true, mode: 0o700 });
  const release = await acquireLock(deviceDir, LOCK_WAIT_MS);
  if (release === undefined) throw new AppError('conflict', `Another Device agent serves ${deviceDir} already.`);
  const signals = new Signals(log);
  const audience = new Audience(deviceDir);
  const fleet = new Fleet(deviceDir, systemClock, log, audience.withAudience);
  const recordings = new Recordings({ deviceDir, log, isOver: (recording) => fleet.isWritten(recording) });
  const push = new PushSupervisor(deviceDir, options.ingestHost ?? options.host, log, options.tls?.files);
  const endBound = boundLog(agentLogFile(deviceDir));
  try {
    return await serveDevice(
      { ...options, deviceDir },
      { signals, fleet, audience, recordings, push, endBound, release },
    );
  } catch (error) {
    signals.release();
    endBound();
    fleet.leave();
    push.leave();
    await recordings.leave();
    release();
    throw error;
  }
}

interface AgentDeps {
  signals: Signals;
  fleet: Fleet;
  audience: Audience;
  recordings: Recordings;
  push: PushSupervisor;
  endBound: () => void;
  /** Releases the Device directory. */
  release: () => void;
}

async function serveDevice(options: AgentOptions, deps: AgentDeps): Promise<RunningAgent> {
  const { deviceDir, host, mediaPort, log } = options;
  const { signals, fleet, audience, recordings, push, endBound, release } = deps;
  const socket = agentSocket(deviceDir);
  const formerPort = formerMediaPort(deviceDir);
  const mediaUrl = readAgentRecord(deviceDir)?.mediaUrl ?? '';
  const life = formerLife(deviceDir);
  const pairing = new Pairing(deviceDir, systemClock);
  const self = { pid: process.pid, startTicks: identify(process.pid)?.startTicks ?? 0, program: options.program };
  // The holder of the lock is known from the start: if this process hangs from here on, it can be found and ended.
  const here = { socket, bootId: bootId(), folder: folderId(deviceDir), cards: networkCards() };
  await note({ mediaUrl, mediaPort: formerPort, ...self, ...here }, deviceDir, log);
  await rm(stoppedFile(deviceDir), { force: true });
  if (!keepNetworks(deviceDir, options.sourceNetworks)) log.warn({}, NOT_KEPT);
  await adopt(deps, { deviceDir, log, ...life, isPaired: pairing.isPaired });
  const ended = new AbortController();
  const trial = tryEncoding(fleet, deviceDir, ended.signal, log);
  const probed = capabilityProbe({ log, signal: ended.signal, keptIn: deviceDir }, sandboxTrial(deviceDir, log));
  const hardware = tryHardware({ deviceDir, log, signal: ended.signal });
  const capabilities = async (): ReturnType<AgentApiOptions['capabilities']> => ({
    ...hardware.withFound(await probed()),
    ...trial.facts,
  });
  const disks = new StorageWatch({ deviceDir, log, signal: ended.signal });
  const delivery = { deviceDir, host, port: mediaPort, formerPort, tls: options.tls, onSeen: audience.take, log };
  const media = await openMediaServer(delivery);
  const health = (): AgentHealth => ({ ...self, mediaUrl: media.url, mediaPort: media.port });
  await note({ ...health(), ...here }, deviceDir, log);

  const ingest = ingestAddress(options.ingestHost ?? host, options);
  const openPushed = (channelId: number): Socket => readPushed(deviceDir, channelId);
  const lookAt: AgentApiOptions['probe'] = (source, isOnAir) => probeSource(source, { deviceDir, isOnAir, openPushed });
  const pictureOf: AgentApiOptions['pushedPicture'] = (source, width) =>
    pushedPicture(source, width, { deviceDir, openPushed });
  const calls = {
    fleet,
    recordings,
    push,
    disks,
    ingest,
    log,
    cores: () => coresHere(availableParallelism()),
    health,
    storeMark: new StoreMarkFile(deviceDir),
    capabilities,
    probe: lookAt,
    pushedPicture: pictureOf,
  };
  const network = await openNetwork(options, calls, pairing).catch(async (error: unknown) => {
    await media.close();
    throw error;
  });
  setTimeout(() => void (!ended.signal.aborted && network.mayGoOn && fleet.resume()), ASKING_MS).unref();
  warnOfLoopback(options, media.url);
  const unpair = async (): Promise<Credentials | null> => {
    const credentials = await pairing.forget();
    network.expel(credentials);
    return network.address === undefined ? null : credentials;
  };
  let closing: Promise<void> | undefined;
  let onClosed: () => void = () => undefined;
  const closed = new Promise<void>((done) => (onClosed = done));
  const close = (): Promise<void> => (closing ??= shut());
  const api = agentApi({ ...calls, audience, end: () => void close(), unpair, pairing });
  const server = await listenOn(socket, createAdaptorServer({ fetch: api.fetch }) as Server);
  const shut = async (): Promise<void> => {
    signals.release();
    endBound();
    ended.abort();
    fleet.leave();
    push.leave();
    // The lock goes last: the next agent must not find this one's socket, nor lose its own to this one's clean-up.
    await Promise.all([closeServer(server), media.close(), network.close(), recordings.leave()]);
    release();
    onClosed();
  };
  signals.onTerm(() => void close());
  log.info({ socket, mediaUrl: media.url, runs: fleet.runs.length }, 'The Device agent is ready.');
  return { close, closed, mediaUrl: media.url, socket, address: network.address };
}

function warnOfLoopback({ listen, host, log }: AgentOptions, mediaUrl: string): void {
  if (listen !== undefined && !isLoopback(listen.host) && isLoopback(host))
    log.warn({ mediaUrl }, 'Viewers on other machines cannot reach what this Device delivers; see --host.');
}

/** A certificate that is renewed may have another name. */
function ingestAddress(host: string, { ingestUrl, tls }: AgentOptions): IngestAddress {
  const publicHost = reachableHost(host);
  return {
    host,
    publicHost,
    url: ingestUrl ?? null,
    get secureHost() {
      return tls === undefined ? null : certifiedHost(publicHost, tls.current?.leaf);
    },
  };
}

function tryEncoding(fleet: Fleet, deviceDir: string, signal: AbortSignal, log: Log): EncodingTrialRun {
  const machine = { deviceDir, cores: availableParallelism(), isQuiet: (): boolean => fleet.isQuiet };
  const trial = new EncodingTrialRun({ ...machine, clock: systemClock, log, signal });
  fleet.onStart = () => trial.interrupt();
  void trial.begin();
  return trial;
}

async function note(record: AgentRecord, deviceDir: string, log: Log): Promise<void> {
  await writeJson(agentRecordFile(deviceDir), record).catch((error: unknown) => {
    // A full disk takes nothing more, but what is on air there has to be supervised.
    log.warn({ err: error }, 'The agent could not be written down; the next one may have another media port.');
  });
}

/** Runs and listeners of a folder that was copied are those of the machine that it is a copy of; the servers order what this one is to do. */
async function leaveToOther(deviceDir: string, why: string, log: Log): Promise<void> {
  log.warn({ deviceDir }, `${why}: what the other one runs is left to it, until a server orders it here.`);
  for (const dir of [join(deviceDir, 'runs'), pushFiles(deviceDir).dir])
    await rm(dir, { recursive: true, force: true });
}

/** It comes before everything that takes time: runners of the last agent are waiting. */
async function adopt(
  { fleet, recordings, push }: AgentDeps,
  { deviceDir, log, isCopy, isOtherMachine, isPaired }: FormerLife & { deviceDir: string; log: Log; isPaired: boolean },
): Promise<void> {
  if (isCopy) await leaveToOther(deviceDir, 'The Device folder is a copy', log);
  else if (isPaired && isOtherMachine) {
    const why =
      'This machine has none of the network cards that the Device had, so that its disk is a copy, or was moved';
    await leaveToOther(deviceDir, why, log);
  }
  await fleet.adopt(isPaired);
  await recordings.adopt();
  /** Runs with a recording that was begun on air. */
  const taking = new Set<string>();
  fleet.watch({
    onReport: ({ spec, hasEnded }) => {
      const isTaking = spec.outputs.some(isTake);
      const hasTaken = taking.has(spec.runId) && !isTaking;
      if (isTaking) taking.add(spec.runId);
      else taking.delete(spec.runId);
      if (hasEnded || hasTaken) recordings.look();
    },
    onGone: (runId) => void taking.delete(runId),
    flush: async () => undefined,
  });
  push.adopt();
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
