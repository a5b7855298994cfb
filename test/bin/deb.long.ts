/** The Debian package on a bare Debian with systemd as its init: installed, on air, killed, updated on air, purged and installed again. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DebianMachine, laterVersion, machineMissing } from '../helpers/debian-machine.ts';
import { endAll, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const MAX_SECONDS = 300;
const SERVER = 'https://localhost:8090';
const FETCH = 'curl -fsS --cacert /etc/onair/tls/cert.pem';
const PASSWORD = 'a quite long password';

describe('the Debian package on a bare Debian', { skip: machineMissing() ?? false, timeout: 3_600_000 }, () => {
  let scratch: string;
  let machine: DebianMachine;
  let path: string;
  const run = (line: string, input?: string): Promise<string> => machine.run(line, input);

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'onair-machine-'));
    const script = join(dirname(dirname(PROGRAM)), 'scripts', 'deb.mjs');
    path = execFileSync(process.execPath, [script, scratch], { encoding: 'utf8' }).trim();
    machine = new DebianMachine(join(scratch, 'machine'));
    await machine.make();
    machine.place(path, 'root/onair.deb');
    await machine.boot();
    await run('apt-get update -q');
  });
  after(() => {
    machine?.end();
    endAll(scratch);
  });

  const runners = (): Promise<string> => run("pgrep -f 'onair.js runner' | sort | xargs");
  const agent = (): Promise<string> => run('node -p "require(\'/var/lib/onair/data/device/agent.json\').pid"');
  const isOnAir = async (): Promise<boolean> =>
    (
      JSON.parse(await run('onair call getLivestreamStatus --livestreamId 1').catch(() => '{}')) as {
        data?: { status: number };
      }
    ).data?.status === 2;
  /** The media playlist: the number of its first segment, of segments, of breaks. */
  async function playlist(): Promise<{ first: number; count: number; breaks: number }> {
    const master = await run(`${FETCH} ${SERVER}/live/1/1/index.m3u8`);
    const variant = master.split('\n').find((line) => line !== '' && !line.startsWith('#'));
    const text = await run(`${FETCH} ${SERVER}/live/1/1/${variant}`);
    return {
      first: Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/u.exec(text)?.[1]),
      count: text.split('\n').filter((line) => line.startsWith('#EXTINF')).length,
      breaks: text.split('#EXT-X-DISCONTINUITY\n').length - 1,
    };
  }
  /** Follows the playlist over what `act` does: no number of a segment may be missed, and no break may come. */
  async function unbroken(act: () => Promise<unknown>): Promise<void> {
    const before = await playlist();
    await act();
    const later = await until('further segments', async () => {
      const now = await playlist().catch(() => undefined);
      return now !== undefined && now.first + now.count >= before.first + before.count + 3 && now;
    });
    assert.deepEqual([before.breaks, later.breaks], [0, 0]);
  }

  it('the package is installed and its page is open over TLS by four commands, within five minutes', async () => {
    const begun = performance.now();
    await run('apt-get install -y -q --no-install-recommends /root/onair.deb');
    await run('onair-certificate localhost');
    await until('the server', () => run(`${FETCH} ${SERVER}/readyz`).catch(() => undefined), 60_000, 500);
    await run('onair user password admin --password-stdin', `${PASSWORD}\n`);
    await run(`onair login ${SERVER} --username admin`, `${PASSWORD}\n`);
    assert.match(await run(`${FETCH} ${SERVER}/`), /<!doctype html>/iu);
    const seconds = (performance.now() - begun) / 1000;
    assert.ok(seconds <= MAX_SECONDS, `${seconds} s`);
    assert.equal(await run('systemctl is-enabled onair'), 'enabled');
    assert.match(await run('stat -c "%U %a" /var/lib/onair'), /^onair 700$/u);
    assert.match(await run('journalctl -u onair --no-pager -o cat'), /ready https:/u);
  });

  it('a broadcast goes on air under the service, with a Recording', async () => {
    const picture = '-f lavfi -i testsrc2=size=320x180:rate=30 -f lavfi -i sine';
    await run(
      `ffmpeg -v error ${picture} -t 8 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac /root/clip.mp4`,
    );
    for (const line of [
      'upload /root/clip.mp4 --type files',
      'call addChannel --name Talk --type File --settings.filename clip.mp4',
      'call addEncoding --name small --settings_video.height 180 --settings_video.bitrate 300',
      "call addPublishing --name Web --type 'HLS / TS'",
      'call addPublishing --name Kept --type Record',
      'call addPublishingGroup --name All --elements 1,2',
      'call addLivestream --name Show --channelId 1 --encodingId 1 --publishingGroupId 1',
      'call start_livestream --livestream Show --quiet',
    ])
      await run(`onair ${line}`);
    assert.ok(await isOnAir());
    await until('a playlist', () => playlist().catch(() => undefined));
  });

  it('the end of the main process of the service by SIGKILL takes nothing off air: systemd starts it again', async () => {
    const former = { runners: await runners(), agent: await agent() };
    const pid = await run('systemctl show -p MainPID --value onair');
    await unbroken(async () => {
      await run(`kill -9 ${pid}`);
      await until('another main process', async () => {
        const now = await run('systemctl show -p MainPID --value onair');
        return now !== pid && now !== '0';
      });
      await until('on air', isOnAir, 60_000, 300);
    });
    assert.deepEqual({ runners: await runners(), agent: await agent() }, former);
  });

  it('an update on air replaces server and agent, loses no segment, and keeps the session of the page', async () => {
    const former = { runners: await runners(), agent: await agent() };
    const login = JSON.stringify({ username: 'admin', password: PASSWORD });
    await run(
      `${FETCH} -c /root/cookies -H 'content-type: application/json' -d '${login}' ${SERVER}/svcapiv2/security/login`,
    );
    machine.place(laterVersion(path, '99.0.0', scratch), 'root/later.deb');
    await unbroken(async () => {
      await run('apt-get install -y -q --no-install-recommends /root/later.deb');
      await until('on air', isOnAir, 60_000, 300);
    });
    assert.equal(await run("dpkg-query -W -f '${Version}' onair"), '99.0.0');
    assert.equal(await runners(), former.runners);
    await until('another agent', async () => (await agent()) !== former.agent, 60_000, 300);
    await run(`${FETCH} -b /root/cookies ${SERVER}/svcapiv2/security/me`);
  });

  it('a purge asks nothing, ends the broadcast, takes the settings and leaves the Recording, which the next installation has', async () => {
    const recordings = 'find /var/lib/onair -path "*recording*" -type f -size +10k | head -1';
    await until('a Recording', async () => (await run(recordings)) !== '', 60_000);
    await run('apt-get purge -y -q onair');
    assert.equal(await run('pgrep -u onair || true'), '');
    assert.equal(await run('ls -d /etc/onair /usr/lib/onair 2>/dev/null || true'), '');
    assert.notEqual(await run(recordings), '');
    await run('apt-get install -y -q --no-install-recommends /root/onair.deb');
    await run('onair-certificate localhost');
    await until('the server', () => run(`${FETCH} ${SERVER}/readyz`).catch(() => undefined), 60_000, 500);
    const rows = async (): Promise<number> =>
      (JSON.parse(await run('onair call getRecordings')) as { rows: unknown[] }).rows.length;
    await until('the Recording is listed', async () => (await rows()) > 0, 60_000, 500);
  });
});
