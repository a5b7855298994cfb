/** Real messages of a Device, and the same with nonsense in them. */
import { startingReport } from '../../../device/starting-report.ts';
import type { DeviceMessage } from '../../../domain/ports/device-link.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { wordsOf } from '../../helpers/words.ts';

type Real = { [Type in DeviceMessage['type']]: Extract<DeviceMessage, { type: Type }> };

const at = '2026-01-01T00:00:00.000Z';
const { runId, livestreamId, ...rest } = runSpec();
const report = startingReport({ runId, livestreamId, ...rest }, at);
const video = { codec: 'h264', width: 64, height: 36, fps: 25, interlaced: null, rotation: 0, hdr: null };
const audio = [{ codec: 'aac', channels: 2, sample_rate: 48_000, language: null }];

export const REAL_MESSAGES: Real = {
  report: { type: 'report', report },
  event: {
    type: 'event',
    event: {
      runId,
      livestreamId,
      seq: 1,
      at,
      kind: 'source_lost',
      severity: 'warning',
      message: 'The source is lost.',
      data: { reason: 'silent', nested: { list: [1, 'two', null, true] } },
    },
  },
  recording: {
    type: 'recording',
    recording: {
      livestreamId,
      runId,
      publishingId: -1,
      state: 'finished',
      reason: null,
      container: 'mp4',
      started_at: at,
      ended_at: at,
      duration_seconds: 1.5,
      size_bytes: 900,
      files: 1,
      tracks: [{ trackId: 1, kind: 'video', codec: 'h264', language: null, bitrate_kbps: 1, width: 64, height: 36 }],
    },
  },
  lease: { type: 'lease', asked_ms: 12_340 },
  storage: { type: 'storage', storage: [{ use: 'recordings', total: 9, free: null, status: 'full' }], at },
  ingests: {
    type: 'ingests',
    ingests: [
      {
        channelId: 3,
        state: 'receiving',
        error: null,
        from: '10.0.0.9',
        since: at,
        bitrate_kbps: 1000,
        video,
        audio,
        captions: ['608'],
        last_refusal: { at, from: '10.0.0.8', reason: 'key', message: 'A wrong key.' },
      },
    ],
  },
  ingest_event: {
    type: 'ingest_event',
    event: {
      epoch: 'first',
      seq: 1,
      at,
      channelId: 3,
      kind: 'ingest_connected',
      severity: 'info',
      message: 'It sends.',
      data: { from: '10.0.0.9' },
    },
  },
  gone: { type: 'gone', runId },
};

/** Each stands in place of the content of a message. */
export const GARBLED: readonly unknown[] = [null, 5, 'text', true, {}, [], [null], { runId: null }, { runId: '../x' }];

/** A Device without orders has no listener, a run may have any name, and disks of a kind that is not known are passed over. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  ingests: ['[]'],
  gone: ['"text"'],
  lease: ['5'],
  storage: ['[]', '[null]'],
};

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Lines that no Device sends. */
export function garbled(): string[] {
  const lines = [
    ...wordsOf('null 5 "report" [] {} {"type":5} {"type":null}'),
    'not json',
    '{"type":"report"',
    deep(50_000),
  ];
  for (const [type, message] of Object.entries(REAL_MESSAGES)) {
    const [name, content] = Object.entries(message).find(([key]) => key !== 'type')!;
    const wrong = GARBLED.filter((value) => RIGHT[type]?.includes(JSON.stringify(value)) !== true);
    for (const value of wrong) lines.push(JSON.stringify({ type, [name]: value }));
    if (typeof content !== 'object' || type === 'storage') continue;
    lines.push(`{"type":"${type}","${name}":${deep(500)}}`);
  }
  const { report: good } = REAL_MESSAGES.report;
  for (const field of ['livestreamId', 'phase', 'source', 'encodings', 'publishings', 'runtime', 'watch'])
    for (const value of [null, 'x', [null]])
      if (!(field === 'watch' && Array.isArray(value)))
        lines.push(JSON.stringify({ type: 'report', report: { ...good, [field]: value } }));
  lines.push(JSON.stringify({ type: 'report', report: { ...good, more: 'x'.repeat(300_000) } }));
  lines.push(JSON.stringify({ type: 'weather', more: 'x'.repeat(5 << 20) }));
  lines.push(`{"type":"event","event":${JSON.stringify(REAL_MESSAGES.event.event).replace('"seq":1', '"seq":1e999')}}`);
  return lines;
}

/** In place of any value. */
const VALUES: readonly unknown[] = [
  null,
  5,
  -1,
  0.5,
  1e308,
  2 ** 53,
  {},
  [],
  [null],
  '',
  'x',
  true,
  '../../x',
  'run-1-23-2.mp4',
  'constructor',
  'x'.repeat(5000),
  '\u0000\u001b[2J\ud800',
  '2026-01-01T00:00:00Z',
  'http://u:p@a/?b#c',
  { __proto__: null, toString: 1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  [[[[[[[[[]]]]]]]]],
];

/** Each three bytes of the program put another value somewhere, take a field away, or add one. */
export function changed(value: unknown, program: Buffer): unknown {
  let root = structuredClone(value);
  for (let at = 0; at + 2 < program.length && at < 30; at += 3) {
    const [place = 0, which = 0, how = 0] = program.subarray(at, at + 3);
    const places: [Record<string, unknown>, string][] = [];
    collect(root, places, 0);
    const found = places[(place | (how << 8)) % (places.length + 1)];
    const other = structuredClone(VALUES[which % VALUES.length]);
    if (found === undefined) root = other;
    else if (how % 7 === 0) delete found[0][found[1]];
    else if (how % 7 === 1) found[0][`more${which}`] = other;
    else found[0][found[1]] = other;
  }
  return root;
}

function collect(value: unknown, places: [Record<string, unknown>, string][], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 8) return;
  for (const [name, one] of Object.entries(value)) {
    places.push([value as Record<string, unknown>, name]);
    collect(one, places, depth + 1);
  }
}
