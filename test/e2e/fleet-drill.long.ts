/** Five minutes of harm to three servers of one store, their database, and the lines between them and to their Device. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertUnharmed, drillTable, fleetDrill } from '../helpers/fleet-drill.ts';
import { balancerMissing } from '../helpers/servers/balancer.ts';

const SEED = 20_261;

it(
  'three servers of one store lose and double nothing in five minutes of harm',
  { skip: balancerMissing },
  async (t) => {
    const figures = await fleetDrill(t, { seconds: 300, faults: 0 }, SEED);
    for (const line of drillTable(figures)) t.diagnostic(line);
    const { writes } = figures;
    assert.ok(writes.acknowledged > 1000, 'the clients have written');
    assertUnharmed(figures);
  },
);
