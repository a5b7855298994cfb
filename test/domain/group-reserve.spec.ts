/** The reserve of a Device group: what it promises is what moves find, whichever Devices are lost. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { carriesLosses, type GroupMember, type GroupRun } from '../../domain/rules/devices/group-reserve.ts';
import { countOf } from '../helpers/counts.ts';

/** A generator that answers the same in each run (Park and Miller). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

interface Fleet {
  members: GroupMember[];
  homeless: GroupRun[];
}

function fleetOf(random: (below: number) => number): Fleet {
  let rank = 0;
  const runsOf = (room: number): GroupRun[] => {
    const runs: GroupRun[] = [];
    let left = room;
    while (random(5) > 0) {
      const slots = 1 + random(4);
      if (slots > left) break;
      left -= slots;
      runs.push({ slots, rank: (rank += 1) });
    }
    return runs;
  };
  const members = Array.from({ length: 2 + random(4) }, (): GroupMember => {
    const whole = 2 + random(9);
    const runs = runsOf(whole);
    return { whole, runs, free: whole - runs.reduce((sum, { slots }) => sum + slots, 0) };
  });
  return { members, homeless: random(4) === 0 ? runsOf(3) : [] };
}

/** Tries each loss as the moves of it go: in their order, each to the least loaded that has room. */
function oracle({ members, homeless }: Fleet, losses: number): boolean {
  if ([...homeless, ...members.flatMap(({ runs }) => runs)].length === 0) return true;
  if (losses >= members.length) return false;
  for (let mask = 0; mask < 2 ** members.length; mask += 1) {
    const isLost = (at: number): boolean => Math.floor(mask / 2 ** at) % 2 === 1;
    if (members.filter((_, at) => isLost(at)).length !== losses) continue;
    const free = members.map((member, at) => (isLost(at) ? -1 : member.free));
    const moved = [...homeless, ...members.flatMap(({ runs }, at) => (isLost(at) ? runs : []))];
    for (const { slots } of moved.sort((a, b) => a.rank - b.rank)) {
      let best = -1;
      for (const [at, member] of members.entries()) {
        if (free[at]! < slots) continue;
        const better = best === -1 || free[at]! / member.whole > free[best]! / members[best]!.whole;
        const roomier =
          best !== -1 && free[at]! / member.whole === free[best]! / members[best]!.whole && free[at]! > free[best]!;
        if (better || roomier) best = at;
      }
      if (best === -1) return false;
      free[best] = free[best]! - slots;
    }
  }
  return true;
}

it('a group that keeps its reserve carries each loss, and one that is refused does not carry one of them', (t) => {
  const found = { kept: 0, refused: 0, differ: [] as string[] };
  for (let seed = 1; seed <= countOf(500, 20_000); seed += 1) {
    const fleet = fleetOf(randomOf(seed * 7919));
    for (let losses = 0; losses <= Math.min(3, fleet.members.length); losses += 1) {
      const kept = carriesLosses(fleet, losses);
      found[kept ? 'kept' : 'refused'] += 1;
      if (kept !== oracle(fleet, losses)) found.differ.push(`seed ${seed}, ${losses} lost: ${kept}`);
    }
  }
  t.diagnostic(`${found.kept} kept, ${found.refused} refused`);
  assert.deepEqual(found.differ, []);
  assert.ok(found.kept > 300 && found.refused > 300, JSON.stringify(found));
});

it('a loss of the Device with less load is looked at too: its size may be what is missing', () => {
  const large = { whole: 10, free: 6, runs: [{ slots: 4, rank: 0 }] };
  const full = { whole: 5, free: 0, runs: [{ slots: 5, rank: 1 }] };
  assert.equal(carriesLosses({ members: [large, full], homeless: [] }, 1), false);
  assert.equal(carriesLosses({ members: [large, { ...full, free: 4, whole: 9 }], homeless: [] }, 1), true);
});

it('a group of a thousand Devices is judged by what is certain, and never takes more than it carries', () => {
  const member = (used: number): GroupMember => {
    const runs = Array.from({ length: used }, (_, at) => ({ slots: 1, rank: at }));
    return { whole: 10, free: 10 - used, runs };
  };
  const fleet = (used: number): Fleet => ({ members: Array.from({ length: 1000 }, () => member(used)), homeless: [] });
  // 998 Devices have 998 × 2 rooms free at 8 of 10; two that are lost have 16 runs.
  assert.equal(carriesLosses(fleet(8), 2), true);
  assert.equal(carriesLosses(fleet(8), 166), true);
  assert.equal(carriesLosses(fleet(8), 201), false);
  assert.equal(carriesLosses(fleet(10), 1), false);
});
