/** `onair device`: the agent of this machine, in the foreground; `stop` and `status` speak to the one that runs. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runAgent } from '../device/agent/main.ts';
import { agentSocket, connectDevice, shutdownAgent } from '../device/client.ts';
import { loadConfig, type Config } from './config.ts';
import { createLog } from './log.ts';
import { table } from './table.ts';

interface DeviceFlags extends Record<string, unknown> {
  dir?: string;
}

function settle({ dir, ...flags }: DeviceFlags): { deviceDir: string; config: Config } {
  const config = loadConfig(flags, process.env, process.cwd());
  return { deviceDir: dir === undefined ? join(config.data, 'device') : resolve(dir), config };
}

export async function runDevice(flags: DeviceFlags): Promise<void> {
  const { deviceDir, config } = settle(flags);
  const log = await createLog(config.logLevel, 'device');
  const agent = await runAgent({ deviceDir, host: config.host, mediaPort: config.mediaPort, log });
  await agent.closed;
  process.exit(0);
}

export async function stopDevice(flags: DeviceFlags): Promise<void> {
  const { deviceDir, config } = settle(flags);
  const ran = (await shutdownAgent(deviceDir, 'stop')) || (await stopOrphans(deviceDir, config));
  process.stderr.write(
    ran
      ? 'onair: every broadcast of this machine and its Device agent have ended.\n'
      : 'onair: no Device agent runs.\n',
  );
}

/** The agent is gone but runners are not: an agent of our own adopts them, only to end them. */
async function stopOrphans(deviceDir: string, config: Config): Promise<boolean> {
  const runs = join(deviceDir, 'runs');
  if (!existsSync(runs) || readdirSync(runs).length === 0) return false;
  const log = await createLog('warn', 'device');
  const agent = await runAgent({ deviceDir, host: config.host, mediaPort: 0, log });
  await shutdownAgent(deviceDir, 'stop');
  await agent.closed;
  return true;
}

export async function deviceStatus(flags: DeviceFlags): Promise<void> {
  const { deviceDir, config } = settle(flags);
  const link = connectDevice({ socket: agentSocket(deviceDir), log: await createLog(config.logLevel, 'device') });
  const { capabilities, mediaUrl, cores, runs } = await link.hello();
  const lines = [
    `ffmpeg ${capabilities.ffmpeg_version ?? 'is missing'}, ${cores} cores, media at ${mediaUrl}`,
    `sources: ${capabilities.inputs.join(', ') || 'none'}; Destinations: ${capabilities.outputs.join(', ') || 'none'}`,
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
