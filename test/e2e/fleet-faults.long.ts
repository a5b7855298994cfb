/** Two hundred faults of three servers of one store, of their database, and of the lines between them and to their Device. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertUnharmed, drillTable, fleetDrill } from '../helpers/fleet-drill.ts';
import { balancerMissing } from '../helpers/servers/balancer.ts';

const SEED = 4_711;
const FAULTS = 200;

it(`three servers of one store lose and double nothing in ${FAULTS} faults`, { skip: balancerMissing }, async (t) => {
  const figures = await fleetDrill(t, { seconds: 900, faults: FAULTS, pause: 1 }, SEED);
  for (const line of drillTable(figures)) t.diagnostic(line);
  const { writes } = figures;
  assert.ok(writes.acknowledged > 5000, 'the clients have written');
  assertUnharmed(figures);
});
