import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { FoundHardware } from '../../../device/ffmpeg/hardware.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { EncoderChoice } from '../../../device/runner/encoder/encoder-choice.ts';
import { EventLog } from '../../../device/runner/process/event-log.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { rendition } from './specs.ts';

const CARD: FoundHardware = {
  encoders: [{ kind: 'vaapi', codec: 'h264', ten_bit: false }],
  node: '/dev/dri/renderD128',
  reasons: [{ kind: 'nvenc', reason: 'libcuda.so.1 is not there' }],
};

function choose(t: TestContext, hardware: FoundHardware): { choice: EncoderChoice; logged: () => string[] } {
  const plan = planLadder([
    rendition(11, 320, 180, 800, { encoder: 'auto' }),
    rendition(12, 160, 90, 300, { encoder: 'qsv' }),
    rendition(13, 160, 90, 200),
  ]);
  const path = join(testFolder(t, 'choice'), 'events');
  const events = new EventLog(path, { runId: 'r', livestreamId: 7 }, systemClock, (text) => text);
  const logged = (): string[] =>
    (existsSync(path) ? readFileSync(path, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { kind: string; message: string })
      .map(({ kind, message }) => `${kind} ${message}`);
  return { choice: new EncoderChoice(plan, hardware, events), logged };
}

it('auto takes what the Device has found; what is named is taken as it is', (t) => {
  const { choice, logged } = choose(t, CARD);
  assert.deepEqual(
    [11, 12, 13, 99].map((id) => choice.of(id)),
    ['vaapi', 'qsv', 'software', undefined],
  );
  assert.match(choice.args.join(' '), /child_device=\/dev\/dri\/renderD128 .*vaapi=vaapi:\/dev\/dri\/renderD128/u);
  assert.deepEqual(logged(), []);
});

it('auto goes to software when its encoder gives nothing, or ends twice within a minute; what is named stays', (t) => {
  for (const ends of [
    [[false, 0]],
    [
      [true, 0],
      [true, 59_000],
    ],
  ] as [boolean, number][][]) {
    const { choice, logged } = choose(t, CARD);
    for (const [gaveMedia, atMs] of ends) {
      assert.equal(choice.of(11), 'vaapi');
      choice.ended(gaveMedia, 'The encoder ended (exit code 1): no session is free', atMs);
    }
    assert.deepEqual(
      [11, 12].map((id) => choice.of(id)),
      ['software', 'qsv'],
    );
    assert.equal(choice.plan.renditions[0]!.video, choice.plan.videos[0]);
    assert.match(
      logged().join(),
      /^encoder_fallback The encoder ended .*session is free\. Encoding "180p" is encoded in software from now on\.$/u,
    );
  }
  const { choice } = choose(t, CARD);
  choice.ended(true, 'killed', 0);
  choice.ended(true, 'killed', 61_000);
  assert.equal(choice.of(11), 'vaapi', 'an encoder that works for long is not given up');
});

it('auto without hardware says once what is missing', (t) => {
  const { choice, logged } = choose(t, { encoders: [], reasons: CARD.reasons });
  assert.equal(choice.of(11), 'software');
  assert.deepEqual(logged(), [
    'encoder_fallback Encoding "180p" is encoded in software: nvenc: libcuda.so.1 is not there.',
  ]);
});
