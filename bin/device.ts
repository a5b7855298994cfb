/** `onair device` runs the agent of this machine in the foreground; `stop`, `status` and `unpair` speak to the one that runs. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runAgent } from '../device/agent/main.ts';
import type { JoinSettings } from '../device/agent/network.ts';
import { becomeUser, isRoot } from '../device/agent/unprivileged.ts';
import { pushFiles } from '../device/push/push-paths.ts';
import { agentSocket, connectDevice, shutdownAgent, unpairAgent } from '../device/link/client.ts';
import { TlsPair } from '../device/delivery/tls-pair.ts';
import { systemClock } from '../domain/time/clock.ts';
import { parseDeviceAddress } from '../domain/shapes/devices/device.ts';
import { AppError, invalidInput } from '../domain/base/errors.ts';
import type { PairingCredentials } from '../domain/ports/device-link.ts';
import { loadConfig, type Config } from './settings/config.ts';
import { reportFailure } from './failure.ts';
import { createLog } from './log.ts';
import { table } from './output/table.ts';
import { programIdentity, tlsFiles } from './server/tls.ts';

/** A trial of the sandbox, whose result is shown too, takes a quarter of a second and ends by itself. */
const PROBING_MS = 50;
/** A Device tries one server after the other; with more it would be long without one. */
const MAX_SERVERS = 16;

interface DeviceFlags extends Record<string, unknown> {
  dir?: string;
  listen?: string;
  join?: string;
  tokenFile?: string;
}

interface AgentSettings {
  deviceDir: string;
  config: Config;
  listen?: { host: string; port: number };
  join?: JoinSettings;
}

function settingsOf({ dir, listen, join: servers, tokenFile, ...flags }: DeviceFlags): AgentSettings {
  const config = loadConfig(flags, process.env, process.cwd());
  const deviceDir = dir === undefined ? join(config.data, 'device') : resolve(dir);
  return { deviceDir, config, ...waysOf(listen, servers, tokenFile) };
}

function listenAddress(text: string): { host: string; port: number } {
  try {
    return parseDeviceAddress(text);
  } catch {
    // The parser's error is about a setting; this one names the flag.
    throw invalidInput([{ field: '--listen', code: 'invalid_format', message: 'must be <address> or <address:port>' }]);
  }
}

/** Throws AppError invalid_input for flags that exclude each other, or that nobody can follow. */
function waysOf(
  listen: string | undefined,
  servers: string | undefined,
  tokenFile: string | undefined,
): Pick<AgentSettings, 'listen' | 'join'> {
  if (listen !== undefined && servers !== undefined)
    throw invalidInput([{ field: '--join', code: 'exclusive', message: 'and --listen exclude each other' }]);
  if (tokenFile !== undefined && servers === undefined)
    throw invalidInput([{ field: '--token-file', code: 'required', message: 'goes with --join' }]);
  if (listen !== undefined) return { listen: listenAddress(listen) };
  return servers === undefined ? {} : { join: { addresses: serverAddresses(servers), token: joinToken(tokenFile) } };
}

function serverAddresses(text: string): string[] {
  const addresses = [...new Set(text.split(',').map((address) => address.trim()))];
  const isWrong = (address: string): boolean => {
    try {
      return parseDeviceAddress(address).port === 0;
    } catch {
      // The caller names the flag and the form that it takes.
      return true;
    }
  };
  if (addresses.length <= MAX_SERVERS && !addresses.some(isWrong)) return addresses;
  const message = `must be 1-${MAX_SERVERS} addresses of servers, <host> or <host:port>, with commas between`;
  throw invalidInput([{ field: '--join', code: 'invalid_format', message }]);
}

function joinToken(file: string | undefined): string | undefined {
  const given = process.env['ONAIR_JOIN_TOKEN'] || undefined;
  // Runners inherit the environment, and have no use for it.
  delete process.env['ONAIR_JOIN_TOKEN'];
  if (file === undefined) return given;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError('invalid_input', `The token file ${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** The credentials bypass the log: they are for the person who pairs, and no log collector needs them. */
function show({ register_username, register_password }: PairingCredentials, address: string): void {
  process.stderr.write(
    `onair: this Device listens on ${address} and is not paired. Send to addDevice, with its ip_address:\n` +
      `  register_username ${register_username}\n  register_password ${register_password}\n`,
  );
}

export async function runDevice(flags: DeviceFlags): Promise<void> {
  // The folder holds keys: nobody else reads what is made in it.
  process.umask(0o077);
  const { deviceDir, config, ...agent } = settingsOf(flags);
  const log = await createLog(config.logLevel, 'device');
  if (config.deviceUser !== undefined && isRoot())
    becomeUser(config.deviceUser, deviceDir, dirname(deviceDir) === resolve(config.data) ? config.data : undefined);
  const { host, mediaPort, ingestHost, ingestUrl, sourceNetworks } = config;
  const settings = { host, mediaPort, ingestHost, ingestUrl, sourceNetworks, program: programIdentity(config) };
  const files = tlsFiles(config);
  // An agent that the control plane starts again has broadcasts to look after, so it waits for files that do not fit yet.
  const isFirst = agent.listen !== undefined || agent.join !== undefined;
  const open = isFirst ? TlsPair.open : TlsPair.openLate;
  const tls = files && open({ files, clock: systemClock, log });
  let refusal: AppError | undefined;
  const refused = new AbortController();
  const onRefused = (error: AppError): void => {
    refusal = error;
    refused.abort();
  };
  const running = await runAgent({ deviceDir, ...settings, tls, show, log, onRefused, ...agent });
  if (refused.signal.aborted) void running.close();
  else refused.signal.addEventListener('abort', () => void running.close());
  await running.closed;
  if (refusal !== undefined) reportFailure(refusal);
  process.exit();
}

export async function stopDevice(flags: DeviceFlags): Promise<void> {
  const { deviceDir, config } = settingsOf(flags);
  const hasEnded = (await shutdownAgent(deviceDir, 'stop')) || (await stopOrphans(deviceDir, config));
  process.stderr.write(
    hasEnded
      ? 'onair: every broadcast of this machine and its Device agent have ended.\n'
      : 'onair: no Device agent runs.\n',
  );
}

/** An agent of our own adopts runners and the push process whose agent is gone, only to end them. */
async function stopOrphans(deviceDir: string, config: Config): Promise<boolean> {
  const runs = join(deviceDir, 'runs');
  const hasRuns = existsSync(runs) && readdirSync(runs).length > 0;
  if (!hasRuns && !existsSync(pushFiles(deviceDir).record)) return false;
  const log = await createLog('warn', 'device');
  const agent = await runAgent({
    deviceDir,
    host: config.host,
    mediaPort: 0,
    sourceNetworks: config.sourceNetworks,
    log,
  });
  await shutdownAgent(deviceDir, 'stop');
  await agent.closed;
  return true;
}

export async function unpairDevice(flags: DeviceFlags): Promise<void> {
  const credentials = await unpairAgent(settingsOf(flags).deviceDir);
  const next =
    credentials == null
      ? '`onair device --listen <address:port>` shows new credentials.\n'
      : `It can be paired with\n  register_username ${credentials.register_username}\n  register_password ${credentials.register_password}\n`;
  process.stdout.write(`This Device is not paired any more; what is on air stays on air. ${next}`);
}

export async function deviceStatus(flags: DeviceFlags): Promise<void> {
  const { deviceDir, config } = settingsOf(flags);
  const link = connectDevice({ socket: agentSocket(deviceDir), log: await createLog(config.logLevel, 'device') });
  let hello = await link.hello();
  for (; hello.isProbing === true; hello = await link.hello()) await delay(PROBING_MS);
  const { capabilities, mediaUrl, cores, runs } = hello;
  const lines = [
    `ffmpeg ${capabilities.ffmpeg_version ?? 'is missing'}, ${cores} cores, media at ${mediaUrl}`,
    `sources: ${capabilities.inputs.join(', ') || 'none'}; Destinations: ${capabilities.outputs.join(', ') || 'none'}`,
    ...(capabilities.sandbox === undefined ? [] : [`sandbox of ffmpeg: ${capabilities.sandbox}`]),
    ...capabilities.missing.map(({ feature, needs }) => `missing: ${feature} needs ${needs}`),
    '',
    runs.length === 0
      ? 'Nothing runs.'
      : table(
          ['LIVE STREAM', 'PHASE', 'SINCE', 'RUN'],
          runs.map((run) => [String(run.livestreamId), run.phase, run.on_air_at ?? '', run.runId]),
        ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exit(0);
}
