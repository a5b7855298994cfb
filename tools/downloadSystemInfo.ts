import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { supportFacts, supportFeeds } from '../domain/rules/installation/support-facts.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const entry = z.object({ name: z.string(), size_bytes: z.number().int().nonnegative() }).strict();

export const downloadSystemInfo = defineTool({
  name: 'downloadSystemInfo',
  summary: 'Show the support bundle: over REST a zip is sent, otherwise what is in it.',
  description:
    'Use it when a fault must be looked into by somebody else. The zip holds versions, settings, Devices, Live streams, Channels and ' +
    'Publishings as the API shows them, the last 1000 events and audit entries, and the last 2 MB of each log; secrets are taken ' +
    'out. Over MCP and as JSON it answers the name and content list; the zip itself then lies in the folder support of the data ' +
    'folder for an hour. For one broadcast alone use getLivestreamEvents.',
  tag: 'System',
  aliases: [
    'support bundle',
    'diagnostics',
    'debug info',
    'log files',
    'system report',
    'troubleshooting',
    'system info',
  ],
  rest: 'GET /system/info/download',
  access: 'admin',
  effect: 'read',
  input: z.object({}).strict(),
  output: dataOf(
    z
      .object({
        filename: z.string().describe('Name of the zip.'),
        size_bytes: z.number().int().nonnegative().describe('Size of the zip in bytes.'),
        entries: z.array(entry).describe('Files in the zip.'),
      })
      .strict(),
  ),
  async handle({ store, control, system, clock, signal }) {
    const now = toIso(clock.now());
    const feeds = await supportFeeds(store);
    const facts = await store.view((view) => supportFacts(view, feeds, control, now));
    const { path, ...data } = await system.supportBundle(facts, signal);
    const file = { path, contentType: 'application/zip', filename: data.filename, temporary: true };
    return { body: { data }, file };
  },
});
