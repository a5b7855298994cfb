/** The link on a clock of its own, before a server that is killed, cut off, slow and resumed at random. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { FeedMessage } from '../../web/live/feed.ts';
import { WindowMode } from '../../web/live/window-mode.ts';
import { openLink, type Link, type LinkMode, type LinkPorts } from '../../web/live/link.ts';

/** Nothing that is said to be fresh is older. */
const MAX_AGE_MS = 3_000;
const SERVER_LEAD_MS = 1_700_000_000_000;

interface Connection {
  hear: (message: FeedMessage) => void;
  end: (why: 'signed-out' | 'refused' | 'broken') => void;
  isOpen: boolean;
}

/** Time that moves by hand, a server with one stream whose name is its version, and a network that is late. */
class World {
  now = 0;
  delayMs = 20;
  isUp = true;
  /** Pieces that are sent arrive in their order, unless the connection ends before. */
  readonly modes: LinkMode[] = [];
  private boot = 1;
  private version = 0;
  private number = 0;
  private kept: FeedMessage[] = [];
  /** When each version became true. */
  private readonly trueFrom = new Map<number, number>([[0, 0]]);
  private connection: Connection | undefined;
  private queue: { at: number; act: () => void }[] = [];
  readonly link: Link;
  private lookers: { ms: number; next: number; act: () => void }[] = [];
  asks = 0;

  constructor() {
    this.link = openLink(this.ports(), (news) => {
      if (news.kind === 'mode') this.modes.push(news.mode);
    });
  }

  private ports(): LinkPorts {
    return {
      now: () => this.now,
      every: (ms, act) => {
        const looker = { ms, next: ms, act };
        this.lookers.push(looker);
        return () => (this.lookers = this.lookers.filter((each) => each !== looker));
      },
      open: (lastId, hear, end) => {
        const connection: Connection = { hear, end, isOpen: true };
        this.later(this.delayMs, () => this.accept(connection, lastId));
        return { close: () => (connection.isOpen = false) };
      },
      ask: async () => {
        this.asks += 1;
        throw new Error('no network');
      },
    };
  }

  private later(ms: number, act: () => void): void {
    const last = this.queue.at(-1)?.at ?? 0;
    this.queue.push({ at: Math.max(last, this.now + ms), act });
  }

  private send(connection: Connection, message: FeedMessage): void {
    this.later(this.delayMs, () => {
      if (connection.isOpen) connection.hear(message);
    });
  }

  private accept(connection: Connection, lastId: string | undefined): void {
    if (!connection.isOpen) return;
    if (!this.isUp) {
      connection.isOpen = false;
      connection.end('broken');
      return;
    }
    this.connection = connection;
    this.send(connection, { event: 'hello', data: { boot: `b${this.boot}`, server_time: this.iso() } as never });
    const [boot = '', number = ''] = lastId?.split('.') ?? [];
    if (boot === `b${this.boot}`) for (const message of this.kept.slice(Number(number))) this.send(connection, message);
    else
      this.send(connection, {
        event: 'snapshot',
        id: `b${this.boot}.${this.number}`,
        data: { livestreams: [this.row() as never], devices: [], done: true },
      });
  }

  private row(): object {
    return { livestreamId: 1, name: String(this.version), status: 2 };
  }

  private iso(): string {
    return new Date(SERVER_LEAD_MS + this.now).toISOString();
  }

  change(): void {
    this.version += 1;
    this.trueFrom.set(this.version, this.now);
    if (!this.isUp) return;
    this.number += 1;
    const id = `b${this.boot}.${this.number}`;
    const message = { event: 'status', id, data: { livestreams: [this.row()] } } as unknown as FeedMessage;
    this.kept.push(message);
    if (this.connection !== undefined) {
      this.send(this.connection, message);
      // A connection that repeats what it has sent.
      if (this.version % 3 === 0) this.send(this.connection, message);
    }
  }

  /** The connection ends, and what is under way on it is lost. */
  cut(): void {
    const { connection } = this;
    this.connection = undefined;
    if (connection === undefined || !connection.isOpen) return;
    connection.isOpen = false;
    connection.end('broken');
  }

  kill(): void {
    this.isUp = false;
    this.boot += 1;
    this.number = 0;
    this.kept = [];
    this.cut();
  }

  /** Runs on in steps, and looks at what the page would show at each. */
  run(ms: number): void {
    for (const until = this.now + ms; this.now < until;) {
      this.now += 50;
      if (this.now % 1000 === 0 && this.isUp && this.connection !== undefined)
        this.send(this.connection, { event: 'rates', data: { at: this.iso(), rows: [] } });
      while ((this.queue[0]?.at ?? Infinity) <= this.now) this.queue.shift()!.act();
      for (const looker of this.lookers)
        if (this.now >= looker.next) {
          looker.next = this.now + looker.ms;
          looker.act();
        }
      this.look();
    }
  }

  private look(): void {
    const { mode, asOf } = this.link.mode();
    const shown = Number(this.link.state().streams.get(1)?.status.name ?? '-1');
    if (mode !== 'live' || shown < 0) return;
    const stated = asOf - SERVER_LEAD_MS;
    assert.ok(this.now - stated <= MAX_AGE_MS + 300, `live, and as of ${this.now - stated} ms ago`);
    // It was so at the stated instant or later: the next version had not come before.
    const nextFrom = this.trueFrom.get(shown + 1) ?? Infinity;
    assert.ok(nextFrom >= stated, `version ${shown} ended ${stated - nextFrom} ms before the stated instant`);
  }
}

type Step = { do: 'run'; ms: number } | { do: 'change' | 'cut' | 'kill' | 'start' } | { do: 'delay'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('run' as const), ms: fc.integer({ min: 50, max: 9000 }) }) },
  { weight: 4, arbitrary: fc.constant({ do: 'change' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'cut' as const }, { do: 'kill' as const }, { do: 'start' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('delay' as const), ms: fc.constantFrom(5, 200, 1500, 4000, 20_000) }),
  },
);

function carryOut(world: World, one: Step): void {
  if (one.do === 'run') world.run(one.ms);
  else if (one.do === 'delay') world.delayMs = one.ms;
  else if (one.do === 'start') world.isUp = true;
  else world[one.do]();
}

describe('the link of the page to the server', () => {
  it('in 1,000 random runs of kills, breaks, delays and repeats, nothing is shown as live that was not so within three seconds', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const world = new World();
        for (const one of steps) carryOut(world, one);
        // Whatever happened: once all is well, the page is in step again, without a reload.
        world.isUp = true;
        world.delayMs = 20;
        world.change();
        world.run(30_000);
        assert.equal(world.link.mode().mode, 'live');
        world.link.close();
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it('a feed that is silent for three seconds is stale within four, and fresh within three of its return', () => {
    const world = new World();
    world.run(3_000);
    assert.equal(world.link.mode().mode, 'live');
    world.kill();
    world.run(4_000);
    assert.equal(world.link.mode().mode, 'stale');
    world.run(20_000);
    assert.ok(world.asks > 1, 'it asks while there is no feed');
    world.isUp = true;
    world.run(3_000);
    assert.equal(world.link.mode().mode, 'live');
  });
});

describe('the mode of a window', () => {
  const START = 1_700_000_000_000;

  /** The mode that the window shows at each half second; `busy` are the spans in which hub or window do nothing, so that news wait. */
  function shown(busy: { hub?: [number, number]; window?: [number, number] }): LinkMode[] {
    const window = new WindowMode();
    window.hear(START, 'live');
    const isIn = (span: [number, number] | undefined, ms: number): boolean =>
      span !== undefined && ms >= span[0] && ms < span[1];
    const modes: LinkMode[] = [];
    let waiting: number[] = [];
    for (let ms = 0; ms <= 20_000; ms += 500) {
      if (ms % 1000 === 0 && !isIn(busy.hub, ms)) waiting.push(START + ms);
      if (isIn(busy.window, ms)) continue;
      // Timers come before the messages that have waited.
      modes.push(window.at(START + ms));
      for (const toldAt of waiting) window.hear(toldAt);
      waiting = [];
      modes.push(window.at(START + ms));
    }
    return modes;
  }
  const changes = (modes: LinkMode[]): LinkMode[] => modes.filter((mode, place) => mode !== modes[place - 1]);

  it('is stale while the hub or the window is held up, and live again with the first fresh news', () => {
    assert.deepEqual(changes(shown({})), ['live']);
    assert.deepEqual(changes(shown({ hub: [5000, 11_000] })), ['live', 'stale', 'live']);
    assert.deepEqual(changes(shown({ window: [5000, 11_000] })), ['live', 'stale', 'live']);
  });

  it('news that have waited for long do not pass for fresh ones, and a mode of the hub holds', () => {
    const window = new WindowMode();
    window.hear(START, 'live');
    window.hear(START + 1000);
    assert.equal(window.at(START + 9000), 'stale');
    for (const mode of ['stale', 'signed-out', 'connecting'] as const) {
      window.hear(START + 9000, mode);
      assert.equal(window.at(START + 90_000), mode);
    }
    window.hear(START + 90_000, 'asking');
    assert.deepEqual([window.at(START + 95_000), window.at(START + 100_000)], ['asking', 'stale']);
  });
});
