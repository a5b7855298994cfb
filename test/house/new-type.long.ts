/** The steps of a new type of Channel and of Destination (CONTRIBUTING.md), in a copy of the sources that is compiled and runs. */
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
];

/** A broadcast of the one to the other, and what callers and the Device say of both. */
const PROOF = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilitiesOf } from '../../device/agent/capabilities.ts';
import { CHANNEL_LABELS } from '../../web/gen/labels/es.ts';
import { USES } from '../../web/gen/types.ts';
import { startTestApp } from '../app/test-app.ts';
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
  await runner.stop();
  assert.equal(await runner.exited, 0);
});
`;
const PROOF_FILE = 'test/house/new-types-proof.ts';

describe('a new type of Channel and of Destination', () => {
  let copy: SourceCopy;
  before(async () => {
    copy = copySources();
    for (const [file, present, then] of STEPS) change(file, present, then);
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

  it('a new type is its row and its line in what does it: the compiler wants no more, the page included', async () => {
    await assert.doesNotReject(copy.node('node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'));
    await assert.doesNotReject(copy.node('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'));
  });

  it('a broadcast runs from a Channel to a Destination of new types', async () => {
    await assert.doesNotReject(copy.node('--import', 'tsx', PROOF_FILE));
  });

  it('the manual and addChannel name the new types', () => {
    const manual = readFileSync(join(copy.dir, 'docs/manual.md'), 'utf8');
    assert.match(manual, /^- `Pattern`: a picture that ffmpeg makes\./mu);
    assert.match(manual, /^- `Monitor`: a screen of the studio\./mu);
    assert.match(readFileSync(join(copy.dir, 'docs/tools.md'), 'utf8'), /; Pattern pattern\./u);
  });

  it('a row that lacks a column is refused by the compiler', async () => {
    const file = 'domain/types/channel-types.ts';
    change(file, "    manual: 'a picture that ffmpeg makes',\n", '');
    const config = { extends: './tsconfig.json', include: [], files: [file] };
    writeFileSync(join(copy.dir, 'tsconfig.row.json'), JSON.stringify(config));
    await assert.rejects(
      copy.node('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.row.json'),
      /manual/u,
    );
  });
});
