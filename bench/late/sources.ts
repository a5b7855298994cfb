/** Sources whose first part has sound or pictures alone, again and again, and whose second one has both. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, type TestScope } from '../../test/helpers/clean-up.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { rtmpEncoder } from '../../test/helpers/rtmp-encoder.ts';
import type { Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { sendParts } from '../../test/device/runner/paced-datagrams.ts';
import { sendMessages } from '../../test/device/runner/paced-messages.ts';
import { flvMessages } from '../../test/device/runner/rtmp-sink.ts';

/** The part that is late. */
export type Late = 'sound' | 'pictures';
export const PART_SECONDS = 12;

export interface LateSource {
  name: string;
  /** Resolves once the first part is sent, with a Channel for each form, or one for both. */
  open(
    t: TestScope,
    service: Service,
    title: string,
    clip: string,
    late: Late,
  ): Promise<{ channels: number[]; sender: { next(): void } }>;
}

/** A soft tone, and a beep of 100 ms with each thirtieth picture. */
const SOUND = "aevalsrc='0.01*sin(2*PI*440*t)+if(lt(mod(t,1),0.1),0.5*sin(2*PI*1000*t),0)':s=48000";

/** The two parts of a clip of twice their length. */
function partsOf(service: Service, clip: string, late: Late, extension: 'ts' | 'flv'): Buffer[] {
  return [0, 1].map((part) => {
    const path = join(service.scratch, `${late}-${part}.${extension}`);
    const hasPicture = part === 1 || late === 'sound';
    const hasSound = part === 1 || late === 'pictures';
    const picture = hasPicture ? ['-ss', String(part * PART_SECONDS), '-i', clip] : [];
    const sound = hasSound ? ['-f', 'lavfi', '-i', SOUND] : [];
    const maps = [...(hasPicture ? ['-map', '0:v'] : []), ...(hasSound ? ['-map', hasPicture ? '1:a' : '0:a'] : [])];
    const pids = hasPicture ? ['-streamid', '0:0x100', '-streamid', '1:0x101'] : ['-streamid', '0:0x101'];
    // The senders begin at the first second of the clock of datagrams.
    const times = ['-muxdelay', '0', '-muxpreload', '0', '-output_ts_offset', '1', '-f', 'mpegts'];
    const to = extension === 'ts' ? [...pids, ...times] : ['-f', 'flv'];
    const coding = ['-t', String(PART_SECONDS), '-c:v', 'copy', '-c:a', 'aac', '-ac', '2'];
    execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, ...sound, ...maps, ...coding, ...to, path]);
    return readFileSync(path);
  });
}

async function receiving(service: Service, channelId: number, state: string): Promise<void> {
  await until(`Channel ${channelId} is ${state}`, async () => {
    const { body } = await service.rest('GET', `/channels/${channelId}`);
    return body.data.ingest.state === state;
  });
}

function srt(name: string, passphrase: string | undefined): LateSource {
  return {
    name,
    async open(t, service, title, clip, late) {
      const [port, local] = [await freePort(), await freePort()];
      const secret = passphrase === undefined ? {} : { encryption: 128, passphrase };
      const settings = { host: '127.0.0.1', port, mode: 'listener', latency_ms: 120, ...secret };
      const channelId = await service.create('/channels', { name: title, type: 'SRT', settings });
      await receiving(service, channelId, 'waiting');
      const query = passphrase === undefined ? '' : `&passphrase=${passphrase}&pbkeylen=16`;
      const to = `srt://127.0.0.1:${port}?mode=caller${query}`;
      const gateway = spawn('srt-live-transmit', [`udp://127.0.0.1:${local}`, to], { stdio: 'ignore' });
      cleanUp(t, () => void gateway.kill('SIGKILL'));
      const sender = sendParts(t, partsOf(service, clip, late, 'ts'), PART_SECONDS, local);
      await receiving(service, channelId, 'receiving');
      return { channels: [channelId], sender };
    },
  };
}

export const SOURCES: readonly LateSource[] = [
  {
    name: 'RTMP push',
    async open(t, service, title, clip, late) {
      const place = { port: await freePort(), app: 'live', key: 'late-key' };
      const settings = { app: place.app, stream_key: place.key, port: place.port };
      const channelId = await service.create('/channels', { name: title, type: 'RTMP-Push', settings });
      await receiving(service, channelId, 'waiting');
      const encoder = await rtmpEncoder(place);
      cleanUp(t, () => void encoder.socket.destroy());
      const parts = partsOf(service, clip, late, 'flv').map((flv) =>
        flvMessages(flv).filter(({ type }) => type !== 18),
      );
      const sender = sendMessages(t, encoder, parts, PART_SECONDS);
      await receiving(service, channelId, 'receiving');
      return { channels: [channelId], sender };
    },
  },
  srt('SRT push', undefined),
  srt('SRT push with a passphrase', 'a-long-passphrase'),
  {
    name: 'UDP',
    async open(t, service, title, clip, late) {
      const parts = partsOf(service, clip, late, 'ts');
      const channels: number[] = [];
      const senders: { next(): void }[] = [];
      for (const n of [1, 2]) {
        const port = await freePort();
        const settings = { url: `udp://127.0.0.1:${port}` };
        channels.push(await service.create('/channels', { name: `${title} ${n}`, type: 'Stream', settings }));
        senders.push(sendParts(t, parts, PART_SECONDS, port));
      }
      return { channels, sender: { next: () => senders.forEach((one) => one.next()) } };
    },
  },
];
