/** The steps of a new type of Channel, of Destination and of a new change on air (CONTRIBUTING.md), in a copy of the sources that is compiled and runs. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copySources, type SourceCopy } from './source-copy.ts';

/** Each change of a file: what stands there, and what stands there then. */
const STEPS: readonly (readonly [file: string, present: string, then: string])[] = [
  [
    'domain/types/channel-settings.ts',
    '    has_passphrase: z.boolean()',
    "    pattern: z.enum(['testsrc2', 'smptebars']).describe('Pattern: what is shown.'),\n    has_passphrase: z.boolean()",
  ],
  [
    'domain/types/channel-types.ts',
    '} as const satisfies',
    `  Pattern: {
    required: ['pattern'],
    optional: [],
    defaults: {},
    schemes: [],
    playsAsset: false,
    place: 'any',
    pushed: null,
    allowsSecond: true,
    isSwitchable: true,
    licence: null,
    transportStream: 'never',
    cloud: 'refuses',
    needs: { requires: [['device:lavfi']], needs: ffmpegWith('lavfi') },
    label: { en: 'Test pattern', es: 'Carta de ajuste' },
    heading: null,
    manual: 'a picture that ffmpeg makes',
    needed: 'pattern',
    example: { pattern: 'testsrc2' },
  },
} as const satisfies`,
  ],
  [
    'device/runner/input/source-opener.ts',
    "  'VideoSite Live': openResolved,\n",
    `  'VideoSite Live': openResolved,
  Pattern: ({ source }) => () => ({
    args: [
      ...inputRules({ protocols: 'pipe', formats: 'lavfi' }),
      ...['-re', '-f', 'lavfi', '-i', \`\${source.settings.pattern}=size=160x90:rate=30\`],
    ],
    list: undefined,
  }),
`,
  ],
  [
    'device/runner/input/source-opener.ts',
    "import { environment } from '../../environment.ts';\n",
    "import { environment } from '../../environment.ts';\nimport { inputRules } from '../../ffmpeg/input-rules.ts';\n",
  ],
  [
    'domain/types/destination-types.ts',
    '} as const satisfies',
    `  Monitor: {
    settings: [],
    schemes: ['udp'],
    needsUrl: true,
    key: null,
    packaged: null,
    notCarried: TS_CODECS,
    hasOneTrack: false,
    drm: [],
    disk: null,
    use: 'platforms',
    isInCloud: false,
    needs: IN_TS,
    label: { en: 'Monitor', es: 'Monitor' },
    manual: 'a screen of the studio',
    example: { url: 'udp://192.0.2.30:5000' },
  },
} as const satisfies`,
  ],
  [
    'device/runner/outputs/attempts.ts',
    '  Record: { begin: record },\n',
    '  Record: { begin: record },\n  Monitor: { begin: deliverByStream },\n',
  ],
  [
    'domain/shapes/changes/changes.ts',
    '\n};\n\ntype Rows',
    `
  rating: changeRow({
    ...USUAL,
    body: { rating: z.enum(['all', '12', '16']).nullable().describe('Age of viewers; null: none is said.') },
    operation: 'runtimeSetRating',
    action: 'rating',
    spoken: 'change of the rating',
    label: { en: 'rating', es: 'edad' },
    title: { en: 'Rating', es: 'Edad recomendada' },
    needs: null,
    subjects: () => ['rating'],
    setting: {
      atStart: { rating: null as string | null },
      of: (body) => body,
      usedUp: [],
      notes: ({ rating }) => [\`Rated \${rating ?? 'not at all'}.\`],
      cloud: null,
    },
  }),
};

type Rows`,
  ],
  [
    'domain/shapes/changes/changes.ts',
    "import { changeRow, type BodyOf } from './change-row.ts';\n",
    "import { z } from 'zod/v3';\nimport { changeRow, type BodyOf } from './change-row.ts';\n",
  ],
  [
    'device/runner/change-executor.ts',
    '    adValues: ({ adValues }) => adValuesSentence(adValues),\n',
    `    adValues: ({ adValues }) => adValuesSentence(adValues),
    rating: ({ rating }) => \`The rating is \${rating.rating ?? 'not said'}.\`,
`,
  ],
];

/** The tool of the new change, which `npm run new-tool` lists. */
const NEW_TOOL = ['runtimeSetRating', 'POST /livestreams/{livestreamId}/runtimeOptions/rating'] as const;
const TOOL = `
import { z } from 'zod/v3';
import { reference } from '../domain/base/schema.ts';
import { CHANGES } from '../domain/shapes/changes/changes.ts';
import { applyLive, liveOutput } from '../toolkit/subjects/live-change.ts';
import { defineTool } from '../toolkit/tool.ts';

export const runtimeSetRating = defineTool({
  name: 'runtimeSetRating',
  summary: 'Say for viewers of which age a broadcast on air is.',
  description: 'Use it while a Live stream is on air (status 2). It lasts until the run ends.',
  tag: 'Runtime options',
  aliases: ['age rating', 'parental rating', 'not for children'],
  rest: 'POST /livestreams/{livestreamId}/runtimeOptions/rating',
  access: 'operator',
  effect: 'control',
  input: z.object({ livestreamId: reference('Live stream'), ...CHANGES.rating.body }).strict(),
  output: liveOutput,
  handle: (ctx, { livestreamId, ...body }) => applyLive(ctx, livestreamId, { kind: 'rating', body }),
});
`;

/** A broadcast of the one to the other, and what callers and the Device say of both. */
const PROOF = `
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isChange } from '../../domain/reported/orders.ts';
import { capabilitiesOf } from '../../device/agent/capabilities.ts';
import { RUN_SPEC_DEFAULTS } from '../../domain/shapes/broadcasts/run-defaults.ts';
import { spokenAnswer } from '../../mcp/voice/speech.ts';
import { operations } from '../../tools/index.ts';
import { ACTION_LABELS, ACTION_TITLES, CHANNEL_LABELS } from '../../web/gen/labels/es.ts';
import { USES } from '../../web/gen/types.ts';
import { goOnAir } from '../app/on-air.ts';
import { startTestApp } from '../app/test-app.ts';
import { change } from '../device/runner/changing.ts';
import { capture } from '../device/runner/receivers.ts';
import { folder, running, startRunner } from '../device/runner/runner-fixture.ts';
import { output, rendition, runSpec, source } from '../device/runner/specs.ts';
import { until } from '../helpers/until.ts';

test('the new types are taken, refused what is not theirs, and delivered', async (t) => {
  const app = await startTestApp();
  t.after(() => app.close());
  await app.data('addChannel', { name: 'Bars', type: 'Pattern', settings: { pattern: 'smptebars' } });
  await app.refused('invalid_input', 'addChannel', { name: 'Bars 2', type: 'Pattern', settings: { url: 'udp://h:1' } });
  await app.data('addPublishing', { name: 'Wall', type: 'Monitor', settings: { url: 'udp://192.0.2.30:5000' } });
  await app.refused('invalid_input', 'addPublishing', { name: 'Wall 2', type: 'Monitor', settings: { stream_key: 'k' } });
  const { missing } = capabilitiesOf(undefined);
  for (const feature of ['Channel Pattern', 'Publishing Monitor']) assert.ok(missing.some((each) => each.feature === feature));
  assert.equal(CHANNEL_LABELS.Pattern, 'Carta de ajuste');
  assert.ok((USES.platforms as readonly string[]).includes('Monitor'));

  const { port, datagrams } = await capture(t);
  const to = output(31, 'Monitor', { url: \`udp://127.0.0.1:\${port}\` });
  const spec = runSpec('new-types', source('Pattern', { pattern: 'testsrc2' }), [to], { renditions: [rendition(11, 160, 90, 300)] });
  const runner = startRunner(t, folder(t), spec);
  await running(runner);
  await until('datagrams', () => datagrams.length > 50);
  assert.equal((await runner.report()).publishings[0]?.primary.state, 'up');

  assert.equal((await change(runner, { type: 'rating', rating: { rating: '12' } })).status, 200);
  const events = readFileSync(runner.files.events, 'utf8');
  assert.match(events, /The rating is 12\./u);
  const stored = JSON.parse(readFileSync(runner.files.spec, 'utf8'));
  assert.deepEqual(stored.rating, { rating: '12' });
  await runner.stop();
  assert.equal(await runner.exited, 0);
});

test('the new change is carried out, planned, kept for a Device that has lost the run, and named', async (t) => {
  const app = await startTestApp();
  t.after(() => app.close());
  const show = await goOnAir(app);
  const { livestreamId } = show;
  const set = await app.data('runtimeSetRating', { livestreamId, rating: '16' });
  assert.deepEqual(set['notes'], ['Rated 16.']);
  assert.equal(isChange(app.device.changes[0]), true);
  const { by: _, ...sent } = app.device.changes[0]!;
  assert.deepEqual(sent, { type: 'rating', rating: { rating: '16' } });
  await app.refused('invalid_input', 'runtimeSetRating', { livestreamId, rating: '18' });
  assert.deepEqual((await show.run()).inForce?.rating, { rating: '16' });
  assert.deepEqual(RUN_SPEC_DEFAULTS.rating, { rating: null });

  const execute_at = new Date(app.clock.now() + 3_600_000).toISOString();
  const action = { livestreamId, type: 'rating', payload: { rating: null }, execute_at };
  await app.refused('invalid_input', 'addLivestreamAction', { ...action, payload: { rating: '18' } });
  const planned = await app.data('addLivestreamAction', action);
  assert.equal(planned['type'], 'rating');
  const spoken = { streamNames: new Map([[livestreamId, 'Show']]), zone: 'UTC', nowMs: app.clock.now() };
  const tool = operations.find(({ name }) => name === 'getLivestreamActions')!;
  assert.match(spokenAnswer(tool, { rows: [planned] }, spoken), /change of the rating of Show/u);
  assert.deepEqual([ACTION_LABELS.rating, ACTION_TITLES.rating], ['edad', 'Edad recomendada']);
});
`;
const PROOF_FILE = 'test/house/new-types-proof.ts';

describe('a new type of Channel and of Destination, and a new change on air', () => {
  let copy: SourceCopy;
  before(async () => {
    copy = copySources();
    for (const [file, present, then] of STEPS) change(file, present, then);
    await copy.node('--import', 'tsx', 'scripts/new-tool.ts', ...NEW_TOOL);
    writeFileSync(join(copy.dir, `tools/${NEW_TOOL[0]}.ts`), TOOL);
    writeFileSync(join(copy.dir, PROOF_FILE), PROOF);
    await copy.node('--import', 'tsx', 'scripts/gen.ts');
  });
  after(() => copy.remove());

  function change(file: string, present: string, then: string): void {
    const path = join(copy.dir, file);
    const text = readFileSync(path, 'utf8');
    assert.equal(text.split(present).length, 2, `${file} has ${present} once`);
    writeFileSync(
      path,
      text.replace(present, () => then),
    );
  }

  it('a new type is its row and its line in what does it, and a new change on air a tool beside: the compiler wants no more, the page included', async () => {
    await assert.doesNotReject(copy.node('node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'));
    await assert.doesNotReject(copy.node('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'));
  });

  it('a broadcast runs from a Channel to a Destination of new types, and is changed in the new way', async () => {
    await assert.doesNotReject(copy.node('--import', 'tsx', PROOF_FILE));
  });

  it('the manual and addChannel name the new types', () => {
    const manual = readFileSync(join(copy.dir, 'docs/manual.md'), 'utf8');
    assert.match(manual, /^- `Pattern`: a picture that ffmpeg makes\./mu);
    assert.match(manual, /^- `Monitor`: a screen of the studio\./mu);
    assert.match(readFileSync(join(copy.dir, 'docs/tools.md'), 'utf8'), /; Pattern pattern\./u);
  });

  it('a row that lacks a column is refused by the compiler', async () => {
    const files = ['domain/types/channel-types.ts', 'domain/shapes/changes/changes.ts'];
    change(files[0]!, "    manual: 'a picture that ffmpeg makes',\n", '');
    change(files[1]!, "    spoken: 'change of the rating',\n", '');
    const config = { extends: './tsconfig.json', include: [], files };
    writeFileSync(join(copy.dir, 'tsconfig.row.json'), JSON.stringify(config));
    await assert.rejects(
      copy.node('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.row.json'),
      /spoken[^]*manual/u,
    );
  });
});
