/** Thirty seconds of harm to three servers of one store; fleet-drill.long.ts does it for five minutes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertUnharmed, drillTable, fleetDrill } from '../helpers/fleet-drill.ts';
import { balancerMissing } from '../helpers/servers/balancer.ts';

const SEED = 7;
/** A change may wait for the Device to dial another server, and for this machine, which has two cores for all of it. */
const CHANGE_BOUND_MS = 21_000;

it(
  'three servers of one store lose and double nothing in thirty seconds of harm',
  { skip: balancerMissing },
  async (t) => {
    const figures = await fleetDrill(t, { seconds: 30, faults: 0 }, SEED);
    for (const line of drillTable(figures)) t.diagnostic(line);
    const { writes, faults } = figures;
    assert.ok(writes.acknowledged > 100, 'the clients have written');
    assertUnharmed(figures);
    for (const { name, changeMs } of faults) assert.ok(changeMs.max < CHANGE_BOUND_MS, name);
  },
);
