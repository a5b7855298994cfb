import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { licenceOutput, presentLicence } from '../domain/shapes/installation/licence.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getSystemLicenses = defineTool({
  name: 'getSystemLicenses',
  summary: 'List the licences of this installation and whether each is in force.',
  description:
    'Use it to see what is unlocked (features), how many channels or publishing points are counted (quantity), and when a licence ends. ' +
    'active: false means that it has ended: its features are off since then. To add one use installLicense.',
  tag: 'System',
  aliases: ['license list', 'entitlements', 'what is unlocked', 'license expiry', 'licence status', 'features'],
  rest: 'GET /system/licenses',
  access: 'admin',
  effect: 'read',
  input: z
    .object({ ...pageFields, search: pageFields.search.describe('Substring of licence_id or customer.') })
    .strict(),
  output: listOf(licenceOutput.partial()),
  shortFields: ['id', 'licence_id', 'customer', 'features', 'quantity', 'expires_at', 'active'],
  async handle({ store, clock }, input) {
    const found = await store.find('licences', pageQuery(input, COLLECTIONS.licences.indexed));
    const now = toIso(clock.now());
    return { body: foundBody(found, input, (row) => presentLicence(row, now)) };
  },
});
