/** Several servers on one database, and Devices that dial them: all of them real, on this machine. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp, type Owner } from './clean-up.ts';
import { freePort } from './ports.ts';
import { startS3 } from './servers/s3.ts';
import { endAll, PROGRAM, startService, type Service } from './service.ts';
import { until } from './until.ts';

export interface Member {
  service: Service;
  /** The port that Devices and the other servers dial. */
  devicePort: number;
}

export interface JoinedDevice {
  id: number;
  /** Its scratch folder, which its processes name. */
  dir: string;
  /** The number of its agent's process. */
  pid(): number;
  /** Starts its agent again, after it was ended; `program` is bin/onair.js of a version, which it keeps. */
  start(program?: string): void;
}

/**
 * Starts them one after the other: the first makes the schema and the first user. `database` is one address for all, or one for each.
 */
export async function startMembers(
  owner: Owner,
  database: string | readonly string[],
  count: number,
  extra: NodeJS.ProcessEnv = {},
  program?: string,
): Promise<Member[]> {
  const members: Member[] = [];
  for (let number = 0; number < count; number += 1) {
    const devicePort = await freePort();
    const url = typeof database === 'string' ? database : database[number]!;
    const env = { ONAIR_STORE: url, ONAIR_DEVICE_PORT: String(devicePort), ...extra };
    const service = await startService(env, undefined, program);
    cleanUp(owner, () => service.dispose());
    members.push({ service, devicePort });
  }
  return members;
}

/** A Device that dials the members in the order given, at their own ports or at `ports`. Resolves once it is online and knows its ffmpeg. */
export async function joinDevice(
  owner: Owner,
  members: readonly Member[],
  name: string,
  ports: readonly number[] = members.map(({ devicePort }) => devicePort),
  program = PROGRAM,
): Promise<JoinedDevice> {
  const { service } = members[0]!;
  const { status, body } = await service.rest('POST', '/devices/joinTokens', { name });
  if (status !== 201) throw new Error(`POST joinTokens: ${status} ${JSON.stringify(body)}`);
  const dir = mkdtempSync(join(tmpdir(), 'onair-fleet-'));
  cleanUp(owner, () => endAll(dir));
  const before = new Set((await devicesOf(service)).map(({ id }) => id));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ONAIR_DATA: dir,
    XDG_CONFIG_HOME: dir,
    ONAIR_JOIN_TOKEN: body.data.token,
  };
  delete env['NODE_OPTIONS'];
  const addresses = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const start = (next = program): void => {
    program = next;
    const words = [program, 'device', '--join', addresses, '--media-port', '0'];
    spawn(process.execPath, words, { env, stdio: 'ignore' });
  };
  start();
  const id = await until('the Device', async () => {
    const rows = await devicesOf(service);
    return rows.find((row) => !before.has(row.id) && row.online && row.capabilities !== null)?.id;
  });
  const pid = (): number =>
    (JSON.parse(readFileSync(join(dir, 'device', 'agent.json'), 'utf8')) as { pid: number }).pid;
  return { id, dir, pid, start };
}

interface DeviceRow {
  id: number;
  name: string;
  online: boolean;
  capabilities: unknown;
}

export async function devicesOf({ rest }: Service): Promise<DeviceRow[]> {
  const { status, body } = await rest('GET', '/devices?fields=*');
  if (status !== 200) throw new Error(`GET devices: ${status} ${JSON.stringify(body)}`);
  return body.rows as DeviceRow[];
}

/** The settings of servers that share a bucket: any of them may order what another one has taken in. */
export async function mediaBucket(owner: Owner): Promise<NodeJS.ProcessEnv> {
  const [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY] = ['canary-access-key', 'canary-secret-key'];
  const s3 = await startS3(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY);
  cleanUp(owner, () => s3.stop());
  const ONAIR_MEDIA = `s3://clips/station?endpoint=${encodeURIComponent(`http://127.0.0.1:${s3.port}`)}`;
  return { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ONAIR_MEDIA };
}
