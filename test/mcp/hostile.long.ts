/**
 * Calls that nobody means, thousands of them, against the real service by all of its doors: it lives, answers each of them in its form, tells
 * nothing that is not the caller's, changes nothing that it did not say it has changed, and serves others meanwhile.
 * The calls follow from a seed, which is printed; ONAIR_HOSTILE_SEED gives others.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isMutating } from '../../toolkit/access.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { CANARY, HEX_CANARY } from '../contract/resources.ts';
import { countOf } from '../helpers/counts.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { letPass } from '../helpers/pass.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { createArgumentMaker } from './hostile/arguments.ts';
import { createFaultCheck, type Answer, type FaultCheck } from './hostile/faults.ts';
import { createMcpShots, type ToolShot } from './hostile/mcp-shots.ts';
import { ATTACKER, EXPIRED, prepare } from './hostile/preparation.ts';
import { createRandom } from './hostile/random.ts';
import { createSender, crowd, type Sender } from './hostile/sender.ts';
import { exchange, rawRequests, trickle } from './hostile/sockets.ts';
import { feed } from './hostile/stdio-lines.ts';
import { differenceOf, stateOf, withStore, type State } from './hostile/store-state.ts';

const SEED = Number(process.env['ONAIR_HOSTILE_SEED'] ?? 20_261_121);
const COUNTS = {
  mcp: countOf(240, 4800),
  stdio: countOf(60, 1200),
  sockets: countOf(50, 500),
};
const ALL = COUNTS.mcp + COUNTS.stdio + COUNTS.sockets;

const issuer = makeIssuer();
let service: Service;
let sender: Sender;
let faultCheck: FaultCheck;
let beforeState: State;
/** Bodies that are under way all the while. */
let slow: ReturnType<typeof trickle>;
let slower: typeof slow;
let pid: number;
const victims: Record<string, number> = {};
const acknowledged: string[] = [];
const waits: number[] = [];
let sent = 0;
const random = createRandom(SEED);

before(async () => {
  console.log(`hostile calls of the seed ${SEED}: ONAIR_HOSTILE_SEED=${SEED}`);
  service = await startService({ ONAIR_RATE_LIMIT: '0', ONAIR_LICENSE_KEY: issuer.publicPem });
  const prepared = await prepare(service, issuer);
  Object.assign(victims, prepared.victims);
  beforeState = prepared.state;
  pid = service.pid;
  sender = createSender(service.url);
  const port = Number(new URL(service.url).port);
  slow = trickle(port, '/svcapiv2/channels', ATTACKER);
  slower = trickle(port, '/mcp', ATTACKER);
  faultCheck = createFaultCheck([TOKEN, ATTACKER, EXPIRED, CANARY, HEX_CANARY, service.scratch]);
});
after(async () => {
  sender?.close();
  await service?.dispose();
});

/** Somebody who means well asks all the time. */
async function whileServing(task: () => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const guest = (async () => {
    while (!controller.signal.aborted) {
      const begunMs = performance.now();
      const { status } = await service.rest('GET', '/livestreams?pageSize=1');
      assert.equal(status, 200, 'a call that is meant');
      waits.push(performance.now() - begunMs);
      await letPass(100);
    }
  })();
  await task().finally(() => controller.abort());
  await guest;
}

/** The changes that an answer reports. */
function acknowledge({ tool }: ToolShot, { status, text }: Answer): void {
  sent += 1;
  if (tool === undefined || !isMutating(tool) || status >= 400) return;
  if (/"isError":true|"error":\{/u.test(text)) return;
  acknowledged.push(tool.name);
}

async function fire(api: 'mcp' | 'rest', next: () => ToolShot, count: number): Promise<string[]> {
  const found = new Map<string, string>();
  const shots = (function* () {
    for (let shot = 0; shot < count; shot += 1) yield next();
  })();
  await crowd(shots, 12, async (shot) => {
    const answer = await sender.send(shot).catch((error: unknown) => String(error));
    if (typeof answer !== 'string') acknowledge(shot, answer);
    const faults = typeof answer === 'string' ? [answer] : faultCheck.faultsOf(api, answer, shot.method === 'HEAD');
    const { kind, method, path, headers, body, tool } = shot;
    const request = `${method} ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 300)} ${String(body).slice(0, 300)}`;
    for (const fault of faults) found.set(`${kind}${tool ? ` ${tool.name}` : ''}: ${fault}`.slice(0, 400), request);
  });
  return [...found].slice(0, 30).map(([fault, request]) => `${fault}\n  ${request}`);
}

const tools = [...operations, ...workflows];
const args = createArgumentMaker(random, victims);

describe(`hostile calls of the seed ${SEED}`, () => {
  it(`the service withstands ${COUNTS.mcp} hostile POSTs to the MCP api`, async () => {
    const shots = createMcpShots({ random, tools, args, token: ATTACKER });
    await whileServing(async () => assert.deepEqual(await fire('mcp', () => shots.next(), COUNTS.mcp), []));
  });

  it(`the service withstands ${COUNTS.stdio} hostile lines to onair mcp`, async () => {
    const shots = createMcpShots({ random, tools, args, token: ATTACKER });
    const lines = Array.from({ length: COUNTS.stdio }, () => shots.next()).filter(
      ({ body }) => String(body).length < 1_000_000,
    );
    const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: ATTACKER };
    await whileServing(async () => {
      const { faults, answered, succeeded } = await feed(env, lines, faultCheck);
      sent += answered;
      for (const { tool, body } of lines)
        if (tool !== undefined && isMutating(tool) && succeeded.has(idOf(body))) acknowledged.push(tool.name);
      assert.deepEqual(faults.slice(0, 20), []);
    });
  });

  it(`the service withstands ${COUNTS.sockets} connections that are cut, half closed, or speak no HTTP`, async () => {
    const wires = rawRequests(random, ATTACKER);
    const { port } = new URL(service.url);
    const found = new Set<string>();
    await whileServing(async () => {
      await crowd(
        Array.from({ length: COUNTS.sockets }, () => wires.next()),
        40,
        async (wire) => {
          const came = await exchange(Number(port), wire);
          sent += 1;
          const statuses = [...came.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map(([, status]) => Number(status));
          if (wire.answers !== undefined && statuses.length !== wire.answers)
            found.add(`${wire.kind}: ${statuses.length} answers: ${came.slice(0, 200)}`);
          if (statuses.some((status) => status >= 500)) found.add(`${wire.kind}: ${came.slice(0, 200)}`);
          if (
            statuses.some((status) => status >= 400 && status !== 417) &&
            wire.kind !== 'no Host' &&
            !came.includes('"remedy"')
          )
            found.add(`${wire.kind}, without form: ${came.slice(0, 300)}`);
          for (const fault of faultCheck.faultsOf('rest', { status: 200, headers: {}, text: came, ms: 0 }))
            found.add(`${wire.kind}: ${fault}`);
        },
      );
    });
    assert.deepEqual([...found], []);
    assert.match(await slow.answer, /"code":"invalid_input"/u, 'a body that trickles is given up after half a minute');
    slower.socket.destroy();
  });

  it('the process is the same after hostile calls, its log has no crash, and it serves others all the while', async () => {
    const counts = [...faultCheck.seen]
      .sort(([, one], [, other]) => other - one)
      .map(([what, count]) => `${what} ${count}`);
    const [longest, median] = [Math.max(...waits), waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0];
    console.log(`${sent} calls: ${counts.join(', ')}; ${acknowledged.length} changes that were said`);
    console.log(
      `a call that is meant, meanwhile: median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms of ${waits.length}`,
    );
    assert.ok(sent >= ALL, `${sent} calls`);
    assert.equal((await service.rest('GET', '/livestreams')).status, 200);
    assert.doesNotThrow(() => process.kill(pid, 0), 'the process lives');
    const log = service.output().split('\n');
    assert.equal(log.filter((line) => line.startsWith('onair: ready')).length, 2, 'it was started by this test alone');
    assert.deepEqual(
      log.filter((line) => /uncaughtException|unhandledRejection|"level":(?:50|60)|^\s+at /u.test(line)).slice(0, 10),
      [],
    );
    assert.ok(waits.length > 4, `${waits.length} calls that are meant were answered meanwhile`);
  });

  it('no row differs after hostile calls but by the changes that were acknowledged', async () => {
    await service.kill('SIGTERM');
    const { added, changed, lost } = differenceOf(beforeState, await withStore(service.dataDir, stateOf));
    const creates = totalsOf(acknowledged.filter((name) => toolOf(name)?.effect === 'create'));
    const updates = acknowledged.filter((name) => name.startsWith('update'));
    const rows = totalsOf(added.map((key) => key.split(' ')[0] ?? ''));
    console.log(
      `said: ${creates}, ${new Set(updates).size} kinds of updates; added: ${rows}; changed: ${changed.join(', ')}`,
    );
    assert.deepEqual(lost, []);
    const message = acknowledged.filter((name) => toolOf(name)?.effect === 'create').length;
    assert.equal(added.length, message, `${rows} by ${creates}`);
    assert.ok(changed.length <= updates.length, `${changed.join(', ')} changed by ${updates.join(', ')}`);
  });
});

function toolOf(name: string): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

function totalsOf(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

function idOf(body: unknown): unknown {
  try {
    return (JSON.parse(String(body)) as Record<string, unknown>)['id'];
  } catch {
    return undefined;
  }
}
