/** An encoder goes and comes again during a show, and each part beside it is killed: it is counted what viewers see. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { statusOf } from '../helpers/broadcast.ts';
import { flowOf, numbersIn, type Flow } from '../helpers/counted.ts';
import { startEncoder, type Encoder, type EncoderName } from '../helpers/encoders.ts';
import { agentPid, pidsOf, type Service } from '../helpers/service.ts';
import { letPass } from '../helpers/pass.ts';
import { until } from '../helpers/until.ts';
import { PICTURES } from '../device/runner/source-form.ts';
import { clipOf, pushedShow, shareOf, type PushedShow } from './pushed-show.ts';

const TIMES = 10;
/** An encoder that was killed is gone for its listener once it has been silent for 3 s. */
const PAUSE_MS = 4000;
const NAMES: readonly EncoderName[] = ['ffmpeg RTMP', 'ffmpeg SRT'];

interface Seen {
  /** The pictures by their numbers; a slate has none. */
  numbers: (number | undefined)[];
  /** The instant at which each came. */
  arrivals: number[];
}

describe('a show with an encoder that pushes', () => {
  let service: Service;
  let show: PushedShow;
  before(async () => {
    show = await pushedShow();
    ({ service } = show);
  });
  after(() => show.dispose());

  const isOnAir = async (): Promise<boolean> => (await statusOf(service, show.livestreamId)).status === 2;
  const pids = (pattern: RegExp): number[] => pidsOf(service.scratch, pattern);
  const only = (pattern: RegExp): number => {
    const [pid, ...others] = pids(pattern);
    assert.ok(pid !== undefined && others.length === 0, `${pattern}: ${pid} ${others.join(' ')}`);
    return pid;
  };

  async function seen(ms: number): Promise<Seen> {
    const { bytes, arrivals } = await show.air.record(ms);
    const file = join(service.scratch, 'seen.ts');
    writeFileSync(file, bytes);
    const numbers = numbersIn(file);
    assert.ok(arrivals.length - numbers.length <= 1, `${arrivals.length} pictures came, ${numbers.length} decode`);
    // The last picture is cut off.
    return { numbers: numbers.slice(0, -1), arrivals };
  }

  /** The show is on air with this encoder. */
  async function onAir(t: TestContext, name: EncoderName): Promise<Encoder> {
    await show.use(name);
    t.after(() => show.stop());
    const encoder = push(t, name);
    await show.received(name);
    await show.start();
    await until('status 2', isOnAir);
    return encoder;
  }

  function push(t: TestContext, name: EncoderName): Encoder {
    const encoder = startEncoder(name, clipOf(service.scratch, '25'), show.place);
    t.after(() => encoder.kill());
    return encoder;
  }

  for (const name of NAMES) {
    it(`with ${name} that ends and begins again: the slate, and then its pictures, each once`, async (t) => {
      let encoder = await onAir(t, name);
      const [slates, backs]: [number[], number[]] = [[], []];
      for (let n = 0; n < TIMES; n += 1) {
        const recording = seen(PAUSE_MS + 20_000);
        await letPass(2000);
        const former = (await show.ingest(name)).since;
        const endedAt = Date.now();
        await encoder.kill();
        await letPass(PAUSE_MS);
        encoder = push(t, name);
        const since = await until('it is received again', async () => {
          const ingest = await show.ingest(name);
          return ingest.state === 'receiving' && ingest.since !== former && Date.parse(ingest.since!);
        });
        const { numbers, arrivals } = await recording;
        const slate = numbers.indexOf(undefined);
        const back = numbers.findIndex((number, at) => at > slate && number !== undefined);
        assert.ok(slate > 0 && back > 0, `slate ${slate}, back ${back} of ${numbers.length}`);
        slates.push((arrivals[slate]! - endedAt) / 1000);
        backs.push((arrivals[back]! - since) / 1000);
        // What is repeated until the slate comes stands before it; the first picture of a transport stream stands for the sound before it.
        const begins = numbers.findIndex((number, at) => at > back && number !== numbers[back]);
        const [before, later] = [numbers.slice(0, slate), numbers.slice(begins)];
        assert.equal(flowOf(before, PICTURES).missing, 0, before.join(' '));
        const { missing, repeated } = flowOf(later, PICTURES);
        assert.deepEqual(
          { missing, repeated, slates: later.indexOf(undefined) },
          { missing: 0, repeated: 0, slates: -1 },
          `${n}: ${later.join(' ')}`,
        );
      }
      t.diagnostic(`slate ${spread(slates)}; back ${spread(backs)}`);
      await encoder.kill();
      await show.left(name);
    });

    it(`with ${name}: agent, control plane and runner are killed, and the connection stays`, async (t) => {
      const encoder = await onAir(t, name);
      const { since } = await show.ingest(name);
      const receiver = only(/onair\S* push/u);
      const assertStays = async (): Promise<void> => {
        await until('status 2', isOnAir);
        const ingest = await show.ingest(name);
        assert.deepEqual([ingest.state, ingest.since], ['receiving', since]);
        assert.deepEqual([only(/onair\S* push/u), pids(/./u).includes(encoder.pid)], [receiver, true]);
      };
      const during = async (act: () => Promise<unknown>): Promise<Flow & { longest: number }> => {
        const recording = seen(9000);
        await letPass(2500);
        await act();
        const { numbers, arrivals } = await recording;
        await assertStays();
        assert.ok(!numbers.includes(undefined), numbers.join(' '));
        const steps = arrivals.slice(1).map((at, n) => at - arrivals[n]!);
        return { ...flowOf(numbers, PICTURES), longest: Math.max(...steps) / 1000 };
      };
      const agent = await during(async () => {
        const old = agentPid(service);
        process.kill(old, 'SIGKILL');
        await until('another agent', () => agentPid(service) !== old);
      });
      t.diagnostic(`agent: ${JSON.stringify(agent)}`);
      const control = await during(async () => {
        await service.kill('SIGKILL');
        await service.restart();
      });
      t.diagnostic(`control plane: ${JSON.stringify(control)}`);
      for (const { missing, repeated } of [agent, control])
        assert.deepEqual({ missing, repeated }, { missing: 0, repeated: 0 });
      const runner = await during(async () => {
        const old = only(/onair\S* runner/u);
        process.kill(old, 'SIGKILL');
        await until('another runner', () => pids(/onair\S* runner/u).some((pid) => pid !== old));
      });
      t.diagnostic(`runner: ${JSON.stringify(runner)}`);
      await encoder.kill();
      await show.left(name);
    });
  }
});

function spread(values: readonly number[]): string {
  const at = (share: number): string => shareOf(values, share).toFixed(2);
  return `median ${at(0.5)}, p95 ${at(0.95)}, at most ${at(1)} s`;
}
