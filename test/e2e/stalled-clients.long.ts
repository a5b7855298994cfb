/** 1,500 clients of one address, or 4,300 that say nothing. Bounds are three times the bar. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTACKS, underAttack, type Attack } from './stalled-clients.ts';

for (const [attack, sent] of Object.entries(ATTACKS) as [Attack, readonly string[] | string][]) {
  const clients = typeof sent === 'string' ? 4300 : 1500;
  test(`${clients} clients that ${attack} leave memory bounded and calls answered`, async (t) => {
    const { serverMb, descriptors } = await underAttack(t, attack, { clients, seconds: 25 });
    assert.ok(serverMb < 180, `${serverMb} MB more`);
    assert.ok(descriptors < 3500, `${descriptors} descriptors more`);
  });
}
