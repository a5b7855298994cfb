/** Devices that dial are spread over the servers soon after all of them have begun at one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Spread } from '../../control/devices/spread.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

const SERVERS = ['a', 'b', 'c'];

/** The rows that servers share, and Devices that dial the next server of their list once one hangs up. */
class Fleet {
  readonly clock = new FakeClock();
  readonly owners: string[];
  readonly calls: number[];
  readonly up = new Set(SERVERS);
  private readonly spreads: Spread[];

  constructor(count: number, { addresses = SERVERS, busy = new Set<number>() } = {}) {
    this.owners = Array.from({ length: count }, () => 'a');
    this.calls = Array.from({ length: count }, () => 0);
    const ids = [...this.owners.keys()];
    const members = (): object[] => SERVERS.map((id) => ({ id, silentMs: this.up.has(id) ? 0 : 20_000 }));
    const next = (owner: string): string => addresses[(addresses.indexOf(owner) + 1) % addresses.length]!;
    const link = (id: number): object => ({
      close: () => {
        this.calls[id]! += 1;
        this.owners[id] = next(this.owners[id]!);
      },
    });
    this.spreads = SERVERS.map(
      (memberId) =>
        new Spread({
          clock: this.clock,
          memberId,
          store: { sharing: () => ({ members: members() as never, conflicts: 0 }) },
          rows: {
            devices: new Map(ids.map((id) => [id, { id, dials_in: true } as never])),
            owner: (id: number) => ({ id, acceptedMemberId: this.owners[id] }) as never,
            runsAt: (id: number) => (busy.has(id) ? [{} as Run] : []),
          },
          registry: {
            get: (id: number) => ({ id, isOwn: true, online: true, mediaUrl: null, link: link(id) }) as never,
          },
        }),
    );
  }

  pass(seconds: number): void {
    for (let passed = 0; passed < seconds; passed += 5) this.clock.advance(5000);
  }

  get counts(): number[] {
    return SERVERS.map((server) => this.owners.filter((owner) => owner === server).length);
  }

  close(): void {
    for (const spread of this.spreads) spread.close();
  }
}

describe('the spread of Devices over servers', () => {
  it('a thousand that are all at one server are at three within a minute and a half, none of them asked more than twice', () => {
    const fleet = new Fleet(1000);
    fleet.pass(90);
    const { counts, calls } = fleet;
    assert.ok(Math.max(...counts) <= (1000 / 3) * 1.1 + 2, `${counts}`);
    assert.ok(Math.max(...calls) <= 2);
    fleet.pass(600);
    assert.deepEqual(fleet.counts, counts, 'and they stay there');
    fleet.close();
  });

  it('those without a broadcast go first', () => {
    const busy = new Set(Array.from({ length: 40 }, (_, id) => id));
    const fleet = new Fleet(120, { busy });
    fleet.pass(90);
    assert.deepEqual(new Set([...busy].map((id) => fleet.calls[id])), new Set([0]));
    fleet.close();
  });

  it('nothing is moved to a server that is away, and one that knows one address alone is asked once in ten minutes', () => {
    const alone = new Fleet(30, { addresses: ['a'] });
    alone.pass(300);
    assert.ok(Math.max(...alone.calls) <= 1, `${alone.calls}`);
    alone.close();
    const away = new Fleet(30);
    away.up.delete('b').valueOf();
    away.up.delete('c').valueOf();
    away.pass(300);
    assert.deepEqual(away.counts, [30, 0, 0]);
    away.close();
  });
});
