/** The Debian package on a bare Debian with systemd as its init: installed by the printed steps, on air, killed, purged and installed again. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { machineMissing, NAME } from '../helpers/debian-machine.ts';
import { buildDeb, FETCH, InstalledService, ROOT } from '../helpers/installed-service.ts';
import { makeClip } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

describe('the Debian package on a bare Debian', { skip: machineMissing() ?? false }, () => {
  let installed: InstalledService;
  let livestreamId: number;
  let encoder: ChildProcess | undefined;
  const run = (line: string, input?: string): Promise<string> => installed.run(line, input);

  before(async () => {
    installed = new InstalledService();
    await installed.boot({ 'onair.deb': buildDeb(ROOT, installed.scratch) });
  });
  after(async () => {
    encoder?.kill('SIGKILL');
    await installed?.dispose();
  });

  /** The part of OBS: the address and key that the page shows, as soon as the Channel is there. */
  async function pushAsThePageSays(name: string): Promise<void> {
    const csrf = await installed.signIn('/root/page');
    const page = `${FETCH} -b /root/page -H 'x-csrf-token: ${csrf}'`;
    const channelId = await until('the Channel on the page', async () => {
      const list = await run(`${page} '${installed.server}/svcapiv2/channels?search=${name}'`);
      return (JSON.parse(list) as { rows: { id: number }[] }).rows[0]?.id;
    });
    const shown = await run(`${page} -X POST ${installed.server}/svcapiv2/channels/${channelId}/ingestKey/reveal`);
    const { url } = (JSON.parse(shown) as { data: { url: string } }).data;
    const clip = makeClip(join(installed.scratch, 'obs.mp4'));
    const words = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'flv', url];
    encoder = installed.machine.spawnBeside('ffmpeg', ['-nostdin', ...words]);
  }

  it('five commands put the part of OBS on air at an RTMP server, with the page open over TLS and no id typed', async (t) => {
    const begun = performance.now();
    const seconds = (): number => (performance.now() - begun) / 1000;
    await installed.install('onair.deb');
    assert.match(await run(`${FETCH} ${installed.server}/`), /<!doctype html>/iu);
    t.diagnostic(`installed, and the page is open after ${seconds().toFixed(0)} s`);
    const command = `onair new --name Evening --source rtmp-push --to ${installed.destination} --key - --start`;
    const [output] = await Promise.all([run(command, 'obs\n'), pushAsThePageSays('Evening')]);
    assert.match(output, /on air/u);
    const isThere = async (): Promise<boolean> => (await installed.rtmp.publishing()).includes('obs');
    await until('the stream at the RTMP server', isThere, { everyMs: 200 });
    t.diagnostic(`five commands, on air after ${seconds().toFixed(0)} s`);
    assert.equal(await run('systemctl is-enabled onair'), 'enabled');
    assert.match(await run('stat -c "%U %a" /var/lib/onair'), /^onair 700$/u);
    assert.match(await run('journalctl -u onair --no-pager -o cat'), /ready https:/u);
    await run('onair stop Evening');
    encoder?.kill('SIGKILL');
    if (encoder !== undefined) await once(encoder, 'exit');
  });

  it('the end of the main process of the service by SIGKILL loses no picture: systemd starts it again beside agent and runner', async (t) => {
    livestreamId = await installed.startCounted();
    const former = { runners: await installed.runners(), agent: await installed.agent() };
    const main = (): Promise<string> => run('systemctl show -p MainPID --value onair');
    const flow = await installed.picturesDuring(async () => {
      const pid = await main();
      await run(`kill -9 ${pid}`);
      await until('another main process', async () => ![pid, '0'].includes(await main()), { everyMs: 300 });
      await until('on air', () => installed.isOnAir(livestreamId), { everyMs: 300 });
    });
    t.diagnostic(`${flow.pictures} pictures, ${flow.missing} missing, ${flow.repeated} repeated`);
    assert.deepEqual([flow.missing, flow.repeated], [0, 0]);
    assert.deepEqual({ runners: await installed.runners(), agent: await installed.agent() }, former);
  });

  it('a restart of the machine puts what was on air on air again by itself, and goes on with the Recording', async () => {
    await installed.machine.reboot();
    await installed.isReady();
    await until('a runner', async () => (await installed.runners()) !== '', { everyMs: 500 });
    await until('on air', () => installed.isOnAir(livestreamId), { everyMs: 300 });
    const { pictures } = await installed.picturesDuring(() => Promise.resolve());
    assert.ok(pictures > 0);
    assert.equal((await installed.call<{ rows: unknown[] }>('getRecordings')).rows.length, 1);
  });

  it('a purge asks nothing, ends the broadcast, takes the settings and leaves the Recording, which the next installation has', async () => {
    const recordings = 'find /var/lib/onair -path "*recording*" -type f -size +10k | head -1';
    await until('a Recording', async () => (await run(recordings)) !== '');
    await run('apt-get purge -y -q onair');
    assert.equal(await run('pgrep -u onair || true'), '');
    assert.equal(await run('ls -d /etc/onair /usr/lib/onair 2>/dev/null || true'), '');
    assert.notEqual(await run(recordings), '');
    await run('apt-get install -y -q --no-install-recommends /root/onair.deb');
    await run(`onair-certificate ${NAME}`);
    await installed.isReady();
    const rows = async (): Promise<number> => (await installed.call<{ rows: unknown[] }>('getRecordings')).rows.length;
    await until('the Recording is listed', async () => (await rows()) > 0, { everyMs: 500 });
  });
});
