/** Messages and answers of Devices, and orders of servers: as text, and as real ones in which any value is another. */
import assert from 'node:assert/strict';
import { agentRecordings } from '../../../device/link/recording-link.ts';
import { toAppError } from '../../../device/socket-http.ts';
import { startingReport } from '../../../device/starting-report.ts';
import { ERROR_CODES } from '../../../domain/base/errors.ts';
import {
  deviceHello,
  jpegAnswer,
  machineAnswer,
  orderAnswer,
  pictureAnswer,
  placedAnswer,
  probeAnswer,
  recordingsAnswer,
  stopAnswer,
} from '../../../domain/reported/answers.ts';
import { NotUnderstood, understood } from '../../../domain/reported/fields.ts';
import { readMessage } from '../../../domain/reported/messages.ts';
import { isChange, isSource, isSpec, ordersIn } from '../../../domain/reported/orders.ts';
import { KnownReports } from '../../../domain/reported/report-changes.ts';
import { OPTIONAL_FIELDS, runReport } from '../../../domain/reported/run-report.ts';
import { CONDITION_KINDS } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import { filesOf } from '../../../device/agent/files/spec-files.ts';
import { changedSpec, runtimeOf } from '../../../domain/shapes/changes/run-change.ts';
import { AppError } from '../../../domain/base/errors.ts';
import { changed, REAL_MESSAGES } from '../../device/link/garbled.ts';
import { runSpec } from '../../device/agent/fixtures/spec.ts';
import { refusing, type FuzzTarget } from '../target.ts';

const spec = runSpec();
const key = { livestreamId: 1, runId: 'run-1', publishingId: 23 };
const { video, audio } = REAL_MESSAGES.ingests.ingests[0]!;
const capabilities = {
  ffmpeg_version: '5.1',
  video_encoders: ['h264'],
  audio_encoders: [],
  protocols: [],
  inputs: [],
  outputs: [],
  missing: [],
};
const at = '2026-01-01T00:00:00.000Z';
const ingest = { host: '0.0.0.0', publicHost: 'a.example', url: 'rtmp://b.example:1936/x' };
/** A report with all that one may have. */
const path = { enabled: true, state: 'up', since: at, attempts: 1, next_retry_at: at, last_error: 'x', refused: true };
const levels = [
  { track: 0, peak_dbfs: [-3], rms_dbfs: [-9], momentary_lufs: -9, short_term_lufs: -9, integrated_lufs: null },
];
const report = {
  ...REAL_MESSAGES.report.report,
  source: { channelId: 1, state: 'receiving', fps: 25, bitrate_kbps: 1, last_frame_at: at, levels },
  conditions: [{ kind: CONDITION_KINDS[0], since: at, fps: 1, wanted_fps: 2, remedy: 'x' }],
  encodings: [{ encodingId: 1, fps: 25, bitrate_kbps: 1, speed: 1, dropped: 0 }],
  publishings: [{ publishingId: 2, name: 'a', type: 'RTMP', primary: path, backup: path, notes: ['x'] }],
  recordings: [{ publishingId: 3, seconds: 1, bytes: 1, files: 1 }],
  cpu_cores: 1,
  disk: { free_bytes: 1, size_bytes: 2 },
  peaks: [-1, -2],
  take: path,
};
/** All of that report that may change, and all that may be left out. */
const REAL_CHANGE = { type: 'changed', runId: report.runId, report, without: [...OPTIONAL_FIELDS] };
const hello = {
  capabilities,
  mediaUrl: 'http://a.example:8091',
  cores: 4,
  runs: [report],
  ingest,
};
const probe = {
  took_ms: 1,
  bitrate_kbps: 1,
  video,
  audio,
  captions: [],
  seconds: 1,
  isVariableRate: false,
  picture: 'AA==',
};

const ANSWERS = {
  hello: [deviceHello, hello],
  stop: [stopAnswer, { known: true }],
  jpeg: [jpegAnswer, { jpeg: 'AA==' }],
  picture: [pictureAnswer, { jpeg: 'AA==', taken_at: 1, width: 320, peaks: [-3, -4], flags: 1 }],
  probe: [probeAnswer, probe],
  recordings: [recordingsAnswer, { recordings: [REAL_MESSAGES.recording.recording] }],
  machine: [machineAnswer, { machineId: 'a-b', name: 'rack' }],
  placed: [placedAnswer, { path: '/x' }],
  order: [orderAnswer, { order: 'sealed' }],
  changed: [runReport, report],
} as const;

/** Real ones to begin with, by the place in which they come in. */
const REAL: [place: string, value: unknown][] = [
  ...Object.values({ ...REAL_MESSAGES, full: { type: 'report', report }, changed: REAL_CHANGE }).map(
    (message): [string, unknown] => ['message', message],
  ),
  ...Object.entries(ANSWERS).map(([name, [, value]]): [string, unknown] => [name, value]),
  ['files', { files: [{ name: 'run-1-23-1.mp4', path: '/x/run-1-23-1.mp4', bytes: 4 }] }],
  ['refusal', { code: 'timeout', detail: 'Late.', upstream: 'x', remedy: 'y', owner: 3 }],
  ['spec', spec],
  ['source', spec.source],
  ['orders', [{ channelId: 1, name: 'a', type: 'SRT', settings: { port: 2000, mode: 'listener' } }]],
  ['change', { type: 'picture', picture: { logo: null } }],
  ['change', { type: 'outputs', add: [], remove: [1] }],
  ['change', { type: 'options', options: { fallback: { mode: 'slate', path: null } } }],
];

/** Base64, and paths that only the Device itself hears again. */
const OPAQUE = ['jpeg', 'picture', 'path', 'order', 'mark'];

/** No text that is kept steers a terminal or breaks a store, none is long, and each number is one. */
function assertBounded(value: unknown, depth = 0): void {
  assert.ok(depth < 12, 'it is deep');
  if (typeof value === 'string') assert.ok(value.length <= 2000 && !/[\p{Cc}\p{Cs}]/u.test(value), 'a raw text');
  if (typeof value === 'number') assert.ok(Number.isFinite(value), 'no number');
  if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) if (!OPAQUE.includes(name)) assertBounded(one, depth + 1);
}

function takeMessage(line: string): void {
  const message = refusing([NotUnderstood], () => readMessage(line));
  if (message === undefined) return;
  assertBounded(message);
  // What was understood once is understood again, and is the same then.
  assert.deepEqual(readMessage(JSON.stringify(message)), JSON.parse(JSON.stringify(message)));
  if (message.type !== 'changed') return;
  // A report that a change has made is one that could have come whole.
  const known = new KnownReports();
  known.take({ type: 'report', report: { ...runReport(report), runId: message.runId } });
  const made = known.take(message);
  assert.ok(made?.type === 'report');
  assert.deepEqual(runReport(made.report), made.report);
}

async function takeFiles(body: unknown): Promise<void> {
  const { filesOf: filesAt } = agentRecordings(() => Promise.resolve(body));
  const files = await filesAt(key).catch((error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    return [];
  });
  for (const { name, bytes } of files) {
    assert.match(name, /^run-1-23-(?:1to)?\d+\.(?:mp4|ts)$/u);
    assert.ok(Number.isSafeInteger(bytes) && bytes >= 0);
  }
}

function takeOrder(place: string, value: unknown): void {
  if (place === 'spec' && isSpec(value)) {
    filesOf(value);
    startingReport(value, '2026-01-01T00:00:00.000Z');
  } else if (place === 'change' && isChange(value)) runtimeOf({ ...spec, ...changedSpec(spec, value) });
  else if (place === 'source') isSource(value);
  else if (place === 'orders')
    for (const { settings } of ordersIn(value) ?? []) assert.ok(Number(settings.port ?? 1) > 0);
}

export const target: FuzzTarget = {
  seeds: [
    ...Object.values(REAL_MESSAGES).map((message) => Buffer.from(`\u0001${JSON.stringify(message)}`)),
    ...REAL.map((_real, index) => Buffer.from([0, index, 3, 2, 2])),
  ],
  async run(bytes) {
    if ((bytes[0] ?? 0) % 2 === 1) return takeMessage(bytes.toString('utf8', 1));
    const [place, real] = REAL[(bytes[1] ?? 0) % REAL.length]!;
    const value: unknown = JSON.parse(JSON.stringify(changed(real, bytes.subarray(2))) ?? 'null');
    if (place === 'message') return takeMessage(JSON.stringify(value));
    if (place === 'files') return takeFiles(value);
    if (place === 'refusal') {
      const { code, message } = toAppError(value);
      assert.ok(Object.hasOwn(ERROR_CODES, code) && code !== 'unauthenticated' && message.length <= 1000);
    } else if (Object.hasOwn(ANSWERS, place)) {
      const [schema] = ANSWERS[place as keyof typeof ANSWERS];
      assertBounded(refusing([NotUnderstood], () => understood(place, schema as typeof deviceHello, value)));
    } else takeOrder(place, value);
  },
};
