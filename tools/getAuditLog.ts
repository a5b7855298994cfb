import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { auditFilters, auditOutput, auditShortFields } from '../domain/shapes/installation/audit.ts';
import { instantInput } from '../domain/time/instant.ts';
import { foundBody, instantRange, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getAuditLog = defineTool({
  name: 'getAuditLog',
  summary: 'List the audit log: who changed what, when, by which API and with which outcome.',
  description:
    'Use it to find out who changed or tried to change something: every mutation, allowed or refused (beyond 60 alike an hour, their number), every sign-in and refused token. Newest first; sort=id ' +
    'brings the oldest first. Values are never recorded, only names of fields. Kept for a year. What happened to a broadcast itself is in ' +
    'getLivestreamEvents.',
  tag: 'System',
  aliases: [
    'audit trail',
    'history',
    'who changed',
    'change log',
    'activity log',
    'sign-ins',
    'security log',
    'accountability',
  ],
  rest: 'GET /system/audit',
  access: 'admin',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of user, operation or resource.'),
      ...auditFilters,
      from: instantInput('Only calls at or after it.').optional(),
      to: instantInput('Only calls before it.').optional(),
    })
    .strict(),
  output: listOf(auditOutput.partial()),
  shortFields: auditShortFields,
  async handle({ store }, input) {
    const { user, operation, resource, resource_id, outcome, via, request_id, from, to } = input;
    const where = { user, operation, resource, resource_id, outcome, via, request_id, at: instantRange(from, to) };
    const query = pageQuery({ ...input, sort: input.sort ?? '-id' }, COLLECTIONS.audit.indexed, where);
    return { body: foundBody(await store.find('audit', query), input, (row) => ({ count: 1, client: null, ...row })) };
  },
});
