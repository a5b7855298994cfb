/** A broadcast on air on the app, with everything that can be changed on it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { makeClip } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { PNG_BASE64, addBroadcast } from './broadcast.ts';
import { type Row, fieldsOf } from './calls.ts';
import type { TestApp } from './test-app.ts';

export interface OnAir {
  livestreamId: number;
  channelId: number;
  encodingId: number;
  /** HLS / TS, served by the Device: a single path. */
  web: number;
  /** RTMP with a backup URL, its backup off. */
  cdn: number;
  /** RTMP without a backup URL, left out of the start. */
  club: number;
  runId: string;
  run(): Promise<Run>;
  /** The specification that the Device holds. */
  spec(): RunSpec;
}

const KEY = 'live_0123456789';

/** Destinations, logos and a film; the Live stream is on air at the Device. */
export async function goOnAir(app: TestApp, options: object = {}, device = app.device): Promise<OnAir> {
  const { livestreamId, channelId, encodingId, publishingId: web } = await addBroadcast(app);
  const rtmp = { url: 'rtmp://cdn.example/live', stream_key: KEY };
  const twoPaths = { ...rtmp, backup_url: 'rtmp://backup.example/live' };
  const { id: cdn } = await app.data('addPublishing', { name: 'CDN', type: 'RTMP', settings: twoPaths });
  const { id: club } = await app.data('addPublishing', { name: 'Club', type: 'RTMP', settings: rtmp });
  const { id: publishingGroupId } = await app.data('addPublishingGroup', { name: 'All', elements: [web, cdn, club] });
  for (const filename of ['bug.png', 'other.png'])
    await app.data('uploadAsset', { fileType: 'logos', filename, content_base64: PNG_BASE64 });
  await app.data('updateLivestream', { livestreamId, publishingGroupId, ...options });
  const startConfig = [{ publishingId: web }, { publishingId: cdn }];
  await app.data('startLivestream', { livestreamId, startConfig });
  const run = async (): Promise<Run> => (await app.store.get('runs', livestreamId))!.row;
  const { runId } = await run();
  await until('the run at the Device', () => device.runIds.includes(runId));
  device.running(runId);
  await until('status 2', async () => (await run()).status === 2);
  return { livestreamId, channelId, encodingId, web, cdn, club, runId, run, spec: () => device.spec(runId) };
}

export async function uploadFilm(app: TestApp, filename: string): Promise<void> {
  const clip = readFileSync(makeClip(join(app.dir, 'made.mp4'), 1));
  const upload = { filename, content: new Blob([clip]).stream() };
  await app.data('uploadAsset', { fileType: 'files' }, { upload });
}

export function addCamera(app: TestApp, name: string, more: object = {}): Promise<Row> {
  return app.data('addChannel', {
    name,
    type: 'Stream',
    settings: { url: `http://127.0.0.1:9/${name}.m3u8` },
    ...more,
  });
}

export interface Actions {
  /** Calls the operation on the Live stream, as an operator. */
  apply(operation: string, body: object): Promise<Row>;
  /** Fields of the rule_violated that it must end in. */
  refused(operation: string, body: object): Promise<string[]>;
  logo(filename: string, position?: string): Promise<Row>;
  toggle(...publishings: object[]): Promise<Row>;
  switchTo(channelId: number): Promise<Row>;
  /** [primary, backup] by Publishing, as the last start configuration has them. */
  flags(): Promise<object>;
}

export function actions(on: () => { app: TestApp; show: OnAir }): Actions {
  const apply: Actions['apply'] = (operation, body) => {
    const { app, show } = on();
    return app.data(operation, { livestreamId: show.livestreamId, ...body }, { user: 'operator' });
  };
  return {
    apply,
    refused: async (operation, body) => {
      const { app, show } = on();
      const args = { livestreamId: show.livestreamId, ...body };
      return fieldsOf(await app.refused('rule_violated', operation, args));
    },
    logo: (filename, position) => apply('runtimeApplyLogo', { logo: { filename, position } }),
    toggle: (...publishings) => apply('runtimeTogglePublishings', { publishings }),
    switchTo: (channelId) => apply('runtimeApplySourceSwitch', { channelId }),
    flags: async () => {
      const { startConfig } = await on().show.run();
      return Object.fromEntries(startConfig.map((entry) => [entry.publishingId, [entry.primary, entry.backup]]));
    },
  };
}

/** The overlays and the source that an answer reports. */
export function runtimeOf(answer: Row): Record<string, unknown> {
  return answer['runtime'] as Record<string, unknown>;
}
