/** Five minutes of harm to three servers of one store, their database, their Devices, and the lines between them. `npm run faults` has 200. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fleetDrill } from '../helpers/fleet-drill.ts';
import { assertUnharmed, drillTable } from '../helpers/fleet-figures.ts';
import { balancerMissing } from '../helpers/servers/balancer.ts';

const SEED = 20_261;

it(
  'three servers of one store lose and double nothing in five minutes of harm, and none ends',
  { skip: balancerMissing },
  async (t) => {
    const figures = await fleetDrill(t, { seconds: 300, faults: 30 }, SEED);
    for (const line of drillTable(figures)) t.diagnostic(line);
    assert.ok(figures.writes.acknowledged > 500, 'the clients have written');
    assertUnharmed(figures);
  },
);
