/** An application at an instant that stays, with Live streams in every state: what the page shows of it is the same at any time. */
import { StillPainter } from '../../device/media/frames/still-painter.ts';
import type { PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import { PNG_BASE64 } from '../app/broadcast.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { until } from '../helpers/until.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

const OPENED_AT = '2026-11-25T18:00:00.000Z';
const MINUTE_MS = 60_000;
const SIZE = { width: 640, height: 360 };
const PEAKS: [number, number] = [-14, -17];
const NAMES = ['Arena 1', 'Arena 2', 'Chapel', 'Derby', 'Evening news', 'Radio', 'Studio 1'] as const;
type Name = (typeof NAMES)[number];

export interface Scene extends MemoryPage {
  clock: FakeClock;
  ids: Record<Name, number>;
}

/** Letters without hints and pixels of one colour look the same on any screen. */
const BROWSER_ARGS = ['--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb'];

/** An application with an empty store. */
export async function openScene(t: Parameters<typeof startMemoryPage>[0]): Promise<MemoryPage & { clock: FakeClock }> {
  const clock = new FakeClock(OPENED_AT);
  return { ...(await startMemoryPage(t, { clock, browserArgs: BROWSER_ARGS })), clock };
}

/** A browser whose clocks stand at the server's time: what a worker hears would grow old by its own clock. */
export function stillScript(clock: FakeClock): string {
  const now = clock.now();
  return `{
    const Running = Date;
    window.Date = class extends Running {
      constructor(...parts) { super(...(parts.length === 0 ? [${now}] : parts)); }
      static now() { return ${now}; }
    };
    performance.now = () => 1000;
    delete window.SharedWorker;
  }`;
}

/** Puts everything there. */
export async function fillScene(opened: MemoryPage & { clock: FakeClock }): Promise<Scene> {
  const { app, clock } = opened;
  app.device.cores = 64;
  app.device.goOffline();
  app.device.goOnline();
  const ids = await addRows(opened);
  await showPictures(opened);
  for (const name of ['Arena 1', 'Chapel', 'Studio 1', 'Radio'] as const) {
    await goOnAir(opened, ids[name]);
    clock.advance(17 * MINUTE_MS + 7_000);
  }
  const { runId: failing } = await start(opened, ids['Arena 2']);
  app.device.failed(failing, 'The source answers "bad key".');
  await until('a failed start', async () => (await app.store.get('runs', ids['Arena 2']))?.row.status === 3);
  clock.advance(MINUTE_MS);
  await app.data('runtimeApplyBlackout', { livestreamId: ids.Chapel, mode: 'Black Frame' });
  await app.data('runtimeApplyLogo', { livestreamId: ids['Arena 1'], logo: { filename: 'bug.png' } });
  await bringTrouble(opened, ids);
  clock.advance(20_000);
  await start(opened, ids.Derby);
  clock.advance(4_000);
  return { ...opened, ids };
}

async function addRows({ app }: MemoryPage): Promise<Record<Name, number>> {
  const add = async (operation: string, row: object): Promise<number> => (await app.data(operation, row)).id as number;
  await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
  const source = (name: string): Promise<number> =>
    add('addChannel', { name, type: 'Stream', settings: { url: 'http://127.0.0.1:9/live.m3u8' } });
  const channels = [await source('Cam 1'), await source('Cam 2')];
  const rungs: number[] = [];
  for (const height of [720, 480])
    rungs.push(await add('addEncoding', { name: `${height}p`, settings_video: { codec: 'h264', height, fps: 25 } }));
  const encodingGroupId = await add('addEncodingGroup', { name: 'Ladder', elements: rungs });
  const [web, archive] = [
    await add('addPublishing', { name: 'Web', type: 'HLS / TS' }),
    await add('addPublishing', { name: 'Archive', type: 'Record' }),
  ];
  const urls = { url: 'rtmp://cdn.example.org/live', backup_url: 'rtmp://backup.example.org/live' };
  const ids: Partial<Record<Name, number>> = {};
  for (const [place, name] of NAMES.entries()) {
    const channelId = channels[place % channels.length];
    // The far end takes one at a time.
    const settings = { ...urls, stream_key: `key-${place}-of-the-cdn` };
    const cdn = await add('addPublishing', { name: `CDN ${place + 1}`, type: 'RTMP', settings });
    const elements = [web, cdn, archive];
    const publishingGroupId = await add('addPublishingGroup', { name: `Everywhere ${place + 1}`, elements });
    ids[name] = await add('addLivestream', { name, channelId, encodingGroupId, publishingGroupId });
  }
  const plan = (name: Name, day: number, [from, to]: [string, string], type: string): Promise<unknown> =>
    app.data('addSchedule', {
      name: `${name} ${type}`,
      livestreamId: ids[name],
      start: `2026-11-${day}T${from}:00Z`,
      end: `2026-11-${day}T${to}:00Z`,
      timezone: 'Europe/Zurich',
      recurrence: { type },
    });
  await plan('Evening news', 25, ['19:30', '20:00'], 'daily');
  await plan('Chapel', 26, ['09:00', '10:00'], 'weekly');
  await plan('Studio 1', 25, ['21:00', '22:30'], 'workdays');
  return ids as Record<Name, number>;
}

async function start({ app, start: order }: MemoryPage, livestreamId: number): Promise<{ runId: string }> {
  const runId = await order(livestreamId);
  await until('status 1', async () => (await app.store.get('runs', livestreamId))?.row.status === 1);
  return { runId };
}

/** On air, with a Recording. */
async function goOnAir(opened: MemoryPage, livestreamId: number): Promise<void> {
  const { app } = opened;
  const { runId } = await start(opened, livestreamId);
  app.device.running(runId, { peaks: PEAKS, flags: 0 });
  await until('status 2', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
  const { publishingId } = app.device.report(runId).publishings.find(({ type }) => type === 'Record')!;
  app.device.putRecording({ livestreamId, runId, publishingId });
  app.device.emit(runId, 'recording_opened', 'Recording begins.', 'info', { publishingId, file: `${runId}-1.mp4` });
  await until('its Recording', async () => {
    const rows = await app.rows('getRecordings');
    return rows.some((row) => row['livestreamId'] === livestreamId);
  });
}

/** A source that is lost, and a path that is tried again. */
async function bringTrouble(
  { app, clock }: MemoryPage & { clock: FakeClock },
  ids: Record<Name, number>,
): Promise<void> {
  const runOf = async (name: Name): Promise<string> => (await app.store.get('runs', ids[name]))!.row.runId;
  const at = new Date(clock.now()).toISOString();
  const radio = await runOf('Radio');
  const { source } = app.device.report(radio);
  app.device.tell(radio, {
    source: { ...source, state: 'lost', fps: 0, bitrate_kbps: 0, last_frame_at: at },
    flags: 16,
  });
  const studio = await runOf('Studio 1');
  const down: Partial<PathStatus> = { state: 'retrying', since: at, attempts: 4, last_error: 'The server hangs up.' };
  const publishings = app.device.report(studio).publishings.map((each) => {
    if (each.backup === null) return each;
    const next_retry_at = new Date(clock.now() + 40_000).toISOString();
    return { ...each, backup: { ...each.backup, enabled: true, ...down, next_retry_at } };
  });
  app.device.tell(studio, { publishings });
}

/** Every picture is the same, taken a moment ago. */
async function showPictures({ app, clock }: MemoryPage & { clock: FakeClock }): Promise<void> {
  const jpeg = await (await StillPainter.load(SIZE, SIZE, 80)).jpeg(halves());
  const picture = app.device.picture.bind(app.device);
  app.device.picture = async (runId, width) => {
    const made = await picture(runId, width);
    return { ...made, jpeg, takenAt: clock.now() };
  };
}

/** A frame of yuv420p: a dark half and a light one, of one hue, so that what is written over it has few colours. */
function halves(): Uint8Array {
  const { width, height } = SIZE;
  const frame = new Uint8Array(width * height * 1.5).fill(128);
  for (let at = 0; at < width * height; at += 1) frame[at] = at % width < width / 2 ? 60 : 140;
  frame.fill(145, width * height, width * height * 1.25);
  return frame;
}
