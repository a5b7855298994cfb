/**
 * `npm run late` has sources on air that show their sound alone or their pictures alone, by RTMP, SRT and UDP, encoded and copied. Then the
 * other comes too, within the same connection, and it is seen at a receiver how much of it viewers have missed. `--only=SRT` takes the
 * sources with that name; `--write` puts the table into docs/figures.md.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestScope } from '../../test/helpers/clean-up.ts';
import { goOnAir, statusOf } from '../../test/helpers/broadcast.ts';
import { COUNTED_FPS, makeCountedClip, soundOffsets, timelineOf } from '../../test/helpers/counted.ts';
import { VIDEO } from '../../test/helpers/counted-broadcast.ts';
import { startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { tableOf, writeFigures } from '../document.ts';
import { Receiver } from '../drills/receiver.ts';
import { PART_SECONDS, SOURCES, type Late, type LateSource } from './sources.ts';

const FORMS = {
  encoded: { settings_video: { ...VIDEO, height: 180, bitrate: 400, h264: { keyframe_interval: 1 } } },
  copied: { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } },
} as const;
type Form = keyof typeof FORMS;

/** Number of the first picture of the part that has both. */
const FIRST = PART_SECONDS * COUNTED_FPS;
/** What comes late may come after all that a demuxer would look at. */
const WHOLE = ['-probesize', '1G', '-analyzeduration', '1000M'];
/** dB: the tone has -43, and what is not there nothing. */
const HEARD = -60;
const WAIT_MS = 60_000;

/** The time at which sound is heard first, on the recording's own time line. */
function firstHeard(file: string): number {
  const level = 'astats=metadata=1:reset=1,ametadata=print:key=lavfi.astats.Overall.RMS_level:file=-';
  const args = ['-nostdin', '-v', 'error', '-copyts', ...WHOLE, '-i', file, '-map', '0:a:0', '-af', level];
  const text = execFileSync('ffmpeg', [...args, '-f', 'null', '-'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const frames = text.matchAll(/pts_time:(\S+)\n[^=]+=(\S+)/gu);
  return Number([...frames].find(([, , db]) => Number(db) > HEARD)?.[1]);
}

/** The pictures are sent again and again: counts those between the first and the last that are not there, and those that are there twice. */
function countOf(numbers: readonly number[]): { missing: number; twice: number } {
  let laps = 0;
  const counted = numbers.map((n, at) => {
    if ((numbers[at - 1] ?? n) - n > FIRST / 2) laps += 1;
    return laps * FIRST + n;
  });
  const seen = new Set(counted);
  const missing = Math.max(...counted) - Math.min(...counted) + 1 - seen.size;
  return { missing, twice: counted.length - seen.size };
}

/** Cells of the table. */
function lookAt(file: string, late: Late): string[] {
  const timeline = timelineOf(file, WHOLE);
  const { pictures, times } = timeline;
  const at = pictures.findIndex((n) => n !== undefined && n >= FIRST);
  if (at < 0) return ['never', '', '', '', ''];
  const shown = pictures.slice(at);
  const lateBy = late === 'pictures' ? (shown[0]! - FIRST) / COUNTED_FPS : firstHeard(file) - times[at]!;
  const { missing, twice } = countOf(shown.filter((n) => n !== undefined));
  const slate = shown.filter((n) => n === undefined).length;
  const offs = soundOffsets({ ...timeline, pictures: shown, times: times.slice(at) }).map((seconds) => 1000 * seconds);
  const worst = offs.reduce((most, off) => (Math.abs(off) > Math.abs(most) ? off : most), 0);
  const heard = Number.isNaN(lateBy) ? 'never' : `${lateBy.toFixed(2)} s`;
  return [
    heard,
    String(missing),
    String(twice),
    String(slate),
    offs.length === 0 ? 'no sound' : `${worst.toFixed(0)} ms`,
  ];
}

interface Show {
  form: Form;
  livestreamId: number;
  receiver: Receiver;
}

async function makeShow(service: Service, title: string, form: Form, channelId: number): Promise<Show> {
  const receiver = await Receiver.open();
  const name = `${title}, ${form}`;
  const encodingId = await service.create('/encodings', { name, ...FORMS[form] });
  const to = { name, type: 'STREAM', settings: { url: receiver.url } };
  const publishingId = await service.create('/publishings', to);
  const livestreamId = await service.create('/livestreams', { name, channelId, encodingId, publishingId });
  return { form, livestreamId, receiver };
}

async function once(service: Service, clip: string, from: LateSource, late: Late): Promise<string[][]> {
  const ends: (() => unknown)[] = [];
  const t = { after: (end: unknown) => void ends.push(end as () => unknown), diagnostic: () => undefined } as TestScope;
  const title = `${from.name}, late ${late}`;
  const rows: string[][] = [];
  try {
    const forms = Object.keys(FORMS) as Form[];
    const { channels, sender } = await from.open(t, service, title, clip, late);
    const shows: Show[] = [];
    for (const [at, form] of forms.entries())
      shows.push(await makeShow(service, title, form, channels[at % channels.length]!));
    const starts = await Promise.allSettled(shows.map(({ livestreamId }) => goOnAir(service, livestreamId)));
    sender.next();
    // The rest of the part that is under way, and all of the next one.
    await sleep((2 * PART_SECONDS + 4) * 1000);
    for (const [at, { form, livestreamId, receiver }] of shows.entries()) {
      const start = starts[at]!;
      await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
      await until('off air', async () => (await statusOf(service, livestreamId)).status !== 2, { boundMs: WAIT_MS });
      const file = join(service.scratch, `${livestreamId}.ts`);
      receiver.write(file);
      const reason =
        start.status === 'rejected' ? [String((start.reason as Error).message), '', '', '', ''] : undefined;
      rows.push([from.name, late, form, ...(reason ?? lookAt(file, late))]);
      process.stderr.write(`${rows.at(-1)!.join(', ')}\n`);
      receiver.close();
    }
  } finally {
    for (const end of ends.reverse()) await end();
  }
  return rows;
}

const only = /^--only=(.+)$/mu.exec(process.argv.join('\n'))?.[1] ?? '';
const service = await startService();
try {
  const clip = makeCountedClip(join(service.scratch, 'counted.mp4'), 2 * FIRST);
  const rows: string[][] = [];
  for (const from of SOURCES.filter(({ name }) => name.includes(only)))
    for (const late of ['sound', 'pictures'] as const) rows.push(...(await once(service, clip, from, late)));
  const heads = ['Source', 'Late', 'Form', 'Missed of it', 'Pictures missing', 'Twice', 'Slate', 'Sound off by'];
  const text = tableOf(heads, rows);
  process.stdout.write(`${text}\n`);
  if (process.argv.includes('--write'))
    await writeFigures('late', `${COUNTED_FPS} pictures a second, a keyframe in each.\n\n${text}`);
} finally {
  await service.dispose();
}
