/** Encoders that are connected before the start: viewers see them, and each picture of theirs goes on air once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { flowOf, numbersIn, soundOffsets, timelineOf, timesIn } from '../helpers/counted.ts';
import { ENCODERS, startEncoder } from '../helpers/encoders.ts';
import { letPass } from '../helpers/pass.ts';
import { PICTURES } from '../device/runner/source-form.ts';
import { clipOf, FORMS, pushedShow, shareOf, type Form, type PushedShow } from './pushed-show.ts';

const STARTS = 20;
const CONNECTED_MS = 600_000;
/** ITU-R BT.1359: viewers notice sound that is earlier than this. */
const MAX_OFFSET_SECONDS = 0.045;
const RATES: Record<Form, number> = { '25': 25, '30000/1001': 29.97, '50': 50, '60000/1001': 59.94, '1080x1920': 25 };

describe('a start with an encoder that is connected', () => {
  let show: PushedShow;
  before(async () => {
    show = await pushedShow();
  });
  after(() => show.dispose());

  for (const name of ENCODERS)
    it(`with ${name}, viewers see the first picture after the call, and then each one once`, async (t) => {
      t.after(() => show.stop());
      await show.use(name);
      const seconds: number[] = [];
      const perForm = Math.ceil(STARTS / FORMS.length);
      for (const form of FORMS) {
        const encoder = startEncoder(name, clipOf(show.service.scratch, form), show.place);
        t.after(() => encoder.kill());
        await show.received(name);
        for (let n = 0; n < perForm; n += 1) {
          const { onAir, recording } = await show.start(n === 0 ? 7 : 0);
          seconds.push(onAir);
          if (n === 0) assertWhole(form, recording);
          await show.stop();
        }
        t.diagnostic(
          `${form}: ${seconds
            .slice(-perForm)
            .map((value) => value.toFixed(2))
            .join(' ')} s`,
        );
        await encoder.kill();
        await show.left(name);
      }
      const p95 = shareOf(seconds, 0.95);
      t.diagnostic(`median ${shareOf(seconds, 0.5).toFixed(2)} s, p95 ${p95.toFixed(2)} s`);
    });
});

describe('a start with encoders that have been connected for ten minutes', () => {
  it('is on air by the connection that was there before, and each picture goes on air once', async (t) => {
    const shows = await Promise.all(ENCODERS.map(() => pushedShow()));
    t.after(() => Promise.all(shows.map((show) => show.dispose())));
    const encoders = shows.map((show, at) =>
      startEncoder(ENCODERS[at]!, clipOf(show.service.scratch, FORMS[at]!), show.place),
    );
    t.after(() => Promise.all(encoders.map((encoder) => encoder.kill())));
    await Promise.all(shows.map((show, at) => show.use(ENCODERS[at]!)));
    await Promise.all(shows.map((show, at) => show.received(ENCODERS[at]!)));
    const sinceOf = async (at: number): Promise<string | null> => (await shows[at]!.ingest(ENCODERS[at]!)).since;
    const since = await Promise.all(shows.map((_, at) => sinceOf(at)));
    await letPass(CONNECTED_MS);
    const seconds: number[] = [];
    for (const [at, show] of shows.entries()) {
      const perShow = STARTS / shows.length;
      for (let n = 0; n < perShow; n += 1) {
        const { onAir, recording } = await show.start(n === 0 ? 7 : 0);
        seconds.push(onAir);
        if (n === 0) assertWhole(FORMS[at]!, recording);
        await show.stop();
      }
      const own = seconds.slice(-perShow).map((value) => value.toFixed(2));
      t.diagnostic(`${ENCODERS[at]}, ${FORMS[at]}: ${own.join(' ')} s`);
      assert.equal(await sinceOf(at), since[at], `${ENCODERS[at]} has connected again`);
    }
    const p95 = shareOf(seconds, 0.95);
    t.diagnostic(`median ${shareOf(seconds, 0.5).toFixed(2)} s, p95 ${p95.toFixed(2)} s`);
  });
});

function assertWhole(form: Form, recording: string): void {
  const all = numbersIn(recording);
  // A transport stream begins with the sound that came with its first keyframe; the first picture stands for so long. The last is cut off.
  const numbers = all.slice(
    all.findIndex((number) => number !== all[0]),
    -1,
  );
  const { missing, repeated } = flowOf(numbers, PICTURES);
  assert.deepEqual({ missing, repeated }, { missing: 0, repeated: 0 }, `${form}: ${numbers.join(' ')}`);
  const times = timesIn(recording);
  const rate = (times.length - 1) / (times.at(-1)! - times[0]!);
  assert.ok(Math.abs(rate / RATES[form] - 1) < 0.005, `${form}: ${rate} pictures a second`);
  const offsets = soundOffsets(timelineOf(recording))
    .map(Math.abs)
    .sort((a, b) => a - b);
  assert.ok(offsets.length > 0, `${form}: no flash with a beep`);
  assert.ok(offsets[Math.floor(offsets.length / 2)]! <= MAX_OFFSET_SECONDS, `${form}: ${offsets.join(' ')}`);
}
