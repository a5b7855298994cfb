import { z } from 'zod/v3';
import { alarmFacts } from '../domain/rules/installation/alarm-facts.ts';
import { findingOutput, type Alarm } from '../domain/shapes/installation/finding.ts';
import { toIso } from '../domain/time/clock.ts';
import { listOf, pageBody, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getSystemAlarms = defineTool({
  name: 'getSystemAlarms',
  summary: 'List what is wrong with this installation: its server, Devices, disks, clocks, licences and services.',
  description:
    'Use it to learn whether something needs a person before it harms a broadcast: a disk that fills, a Device that is away or lacks a ' +
    'program, a clock that is wrong, a certificate or licence that ends, a key server or mail server that fails. Each row says what to do. ' +
    'An empty list: nothing is wrong. What is wrong with one broadcast is in getLivestreamStatus.',
  tag: 'System',
  aliases: ['alarms', 'health check', 'doctor', 'diagnose', 'what is wrong', 'system health', 'warnings'],
  rest: 'GET /system/alarms',
  access: 'admin',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of check or detail.'),
      all: z.boolean().default(false).describe('true: checks that found nothing wrong too.'),
    })
    .strict(),
  output: listOf(findingOutput.partial()),
  shortFields: ['check', 'state', 'detail', 'remedy', 'since'],
  async handle({ store, control, system, clock }, { all, ...page }) {
    const { search = '', sort } = pageQuery(page, ['check', 'state', 'since']);
    const facts = await alarmFacts({ store, control }, toIso(clock.now()));
    const found = (await system.alarms(facts)).filter(
      ({ check, state, detail }) =>
        (all || state !== 'ok') && `${check} ${detail}`.toLowerCase().includes(search.toLowerCase()),
    );
    const field = sort?.field as keyof Alarm | undefined;
    if (field !== undefined) found.sort((a, b) => (a[field] ?? '').localeCompare(b[field] ?? ''));
    if (sort?.descending === true) found.reverse();
    const from = (page.page - 1) * page.pageSize;
    return { body: pageBody(found.slice(from, from + page.pageSize), found.length, page) };
  },
});
