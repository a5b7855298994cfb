/** A Device on a machine of its own: with a line to the server, a wall clock and a boot id that the drill changes, and everything of it ended at once. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callSocket } from '../../device/socket-http.ts';
import { runFiles } from '../../device/run-dir.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { devicesOf } from '../../test/helpers/fleet.ts';
import { giveKnownFfmpeg } from '../../test/helpers/known-ffmpeg.ts';
import { openLine, type Line } from '../../test/helpers/line.ts';
import { endAll, killAll, processesOf, PROGRAM, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';

const CLOCK = fileURLToPath(new URL('clock.mjs', import.meta.url));
/** A mount of this process and its children alone. */
const WITH_BOOT_ID = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';

export class Machine {
  readonly dir = mkdtempSync(join(tmpdir(), 'onair-losses-'));
  readonly line: Line;
  private readonly token: string;
  id = 0;

  private constructor(line: Line, token: string) {
    this.line = line;
    this.token = token;
  }

  static async open(service: Service, devicePort: number): Promise<Machine> {
    const { body } = await service.rest('POST', '/devices/joinTokens', { name: `machine ${randomUUID()}` });
    const machine = new Machine(await openLine(devicePort), body.data.token as string);
    const before = new Set((await devicesOf(service)).map(({ id }) => id));
    giveKnownFfmpeg(join(machine.dir, 'device'));
    machine.setClock(0);
    machine.boot();
    machine.id = await until('the Device', async () => {
      const rows = await devicesOf(service);
      return rows.find((row) => !before.has(row.id) && row.online && row.capabilities !== null)?.id;
    });
    return machine;
  }

  /** Starts its agent, as after a boot. */
  boot(): void {
    const bootFile = join(this.dir, 'boot-id');
    writeFileSync(bootFile, `${randomUUID()}\n`);
    const agent = [PROGRAM, 'device', '--join', `127.0.0.1:${this.line.port}`, '--media-port', '0'];
    const words = ['-m', 'sh', '-c', WITH_BOOT_ID, bootFile, process.execPath, ...agent];
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ONAIR_DATA: this.dir,
      XDG_CONFIG_HOME: this.dir,
      ONAIR_JOIN_TOKEN: this.token,
      NODE_OPTIONS: `--import ${CLOCK}`,
      DRILL_CLOCK: this.clockFile,
    };
    spawn('unshare', words, { env, stdio: 'ignore' });
  }

  powerOff(): void {
    killAll(this.dir);
  }

  signal(signal: NodeJS.Signals): void {
    for (const { pid } of processesOf(this.dir)) process.kill(pid, signal);
  }

  setClock(aheadMs: number): void {
    writeFileSync(this.clockFile, String(aheadMs));
  }

  /** As the runs themselves say it. */
  async runs(): Promise<RunReport[]> {
    const deviceDir = join(this.dir, 'device');
    const reports = readdirSync(join(deviceDir, 'runs')).map(async (runId) => {
      const { socket } = runFiles(deviceDir, runId);
      const reply = await callSocket({ socket, method: 'GET', path: '/report', timeoutMs: 2000 }).catch(
        () => undefined,
      );
      return reply?.status === 200 ? (reply.body as RunReport) : undefined;
    });
    return (await Promise.all(reports)).filter(
      (report) => report?.phase === 'starting' || report?.phase === 'running',
    ) as RunReport[];
  }

  close(): void {
    endAll(this.dir);
    this.line.close();
  }

  private get clockFile(): string {
    return join(this.dir, 'clock');
  }
}
