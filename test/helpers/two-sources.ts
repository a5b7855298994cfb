/** Two live sources of counted pictures and a logo, for broadcasts whose viewers tell what they see. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COUNTED_FPS, makeCountedClip } from './counted.ts';
import { freePort } from './ports.ts';
import { TOKEN, type Service } from './service.ts';

/** The number of pictures of each of the two sources; the second counts on where the first ends. */
export const PICTURES = 1800;

/** A Channel and its peer. */
export interface CalledSource {
  channelId: number;
  player: ChildProcess;
  play(): ChildProcess;
}

/** A pusher of RTMP and a caller of SRT. */
export async function twoSources(service: Service): Promise<[CalledSource, CalledSource]> {
  const whole = makeCountedClip(join(service.scratch, 'whole.mp4'), 2 * PICTURES);
  const [rtmpPort, srtPort] = [await freePort(), await freePort()];
  const push = { app: 'live', stream_key: 'canary-push-key', port: rtmpPort };
  const listen = { mode: 'listener', host: '127.0.0.1', port: srtPort, latency_ms: 60 };
  const source = async (at: number, type: string, settings: object, peer: string[]): Promise<CalledSource> => {
    const clip = join(service.scratch, `half-${at}.mp4`);
    const half = ['-ss', String((at * PICTURES) / COUNTED_FPS), '-i', whole, '-t', String(PICTURES / COUNTED_FPS)];
    execFileSync('ffmpeg', ['-v', 'error', ...half, '-c', 'copy', clip]);
    const channelId = await service.create('/channels', { name: type, type, settings });
    const play = (): ChildProcess => calling(clip, peer);
    return { channelId, play, player: play() };
  };
  const rtmpUrl = `rtmp://127.0.0.1:${rtmpPort}/live/canary-push-key`;
  const srtUrl = `srt://127.0.0.1:${srtPort}?mode=caller&latency=60000`;
  return [
    await source(0, 'RTMP-Push', push, ['-f', 'flv', `'${rtmpUrl}'`]),
    await source(1, 'SRT', listen, ['-f', 'mpegts', `'${srtUrl}'`]),
  ];
}

/** Again and again: encoders in the field do. */
function calling(clip: string, peer: string[]): ChildProcess {
  const input = `ffmpeg -nostdin -v quiet -re -stream_loop -1 -i ${clip} -t 300 -c copy ${peer.join(' ')}`;
  // The shell and what it runs are one group, and end together; it does not outlive this process.
  const loop = `while kill -0 $PPID; do ${input}; sleep 0.2; done`;
  return spawn('sh', ['-c', loop], { stdio: 'ignore', detached: true });
}

export async function endPlayer(player: ChildProcess): Promise<void> {
  if (player.exitCode !== null || player.signalCode !== null) return;
  process.kill(-player.pid!, 'SIGKILL');
  await once(player, 'exit');
}

/** The logo is yellow: a viewer sees it as something bright. */
export async function uploadLogo(service: Service, filename = 'bug.png'): Promise<void> {
  const path = join(service.scratch, filename);
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=yellow:s=384x216', '-frames:v', '1', path]);
  const form = new FormData();
  form.set('fileType', 'logos');
  form.set('file', new Blob([readFileSync(path)], { type: 'image/png' }), filename);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${service.url}/svcapiv2/assets`, { method: 'POST', headers, body: form });
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
}
