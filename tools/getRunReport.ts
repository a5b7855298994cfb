import { z } from 'zod/v3';
import { reference } from '../domain/base/schema.ts';
import { runReport } from '../domain/rules/reports/run-report.ts';
import { MAX_POINTS } from '../domain/shapes/reports/curves.ts';
import { NO_LISTS, REPORT_FORMATS, runReportOutput } from '../domain/shapes/reports/run-report.ts';
import { timezoneField } from '../domain/shapes/schedules/schedule.ts';
import { instantInput } from '../domain/time/instant.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { readCurves } from '../toolkit/subjects/report/report-curves.ts';
import { readPictures } from '../toolkit/subjects/report/report-pictures.ts';
import { readFacts } from '../toolkit/subjects/report/report-facts.ts';
import { documentFile, reportMarkdown, reportPage } from '../toolkit/subjects/report/report-document.ts';
import { cutReport } from '../toolkit/subjects/report/report-cut.ts';
import { defineTool } from '../toolkit/tool.ts';

/** A model is told no more than a page; a person may print several. */
const [FEW, MANY] = [20, 500];

export const getRunReport = defineTool({
  name: 'getRunReport',
  summary: 'Show what happened to a broadcast: what viewers missed and why, who ordered what, each event.',
  description:
    'Use it to explain a fault or a whole run after it, for example why it was black at 20:14 (from 20:10 to 20:20). It begins with a ' +
    'verdict in words. Without run, from and to it is about the last run. As html it is a page to print, with pictures; as markdown one ' +
    'text. What viewers saw at an instant: getLivestreamPreview with at. For the present state use getLivestreamStatus, for single events ' +
    'getLivestreamEvents.',
  tag: 'Live streams',
  aliases: [
    'incident report',
    'what happened',
    'post mortem',
    'why was it black',
    'outage report',
    'what did viewers miss',
    'root cause',
    'explain the fault',
  ],
  rest: 'GET /livestreams/{livestreamId}/report',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      livestreamId: reference('Live stream'),
      run: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('The run with this runId, which its events have; left out: the last one. Not with from and to.'),
      from: instantInput('Beginning; left out: an hour before to.', 'timezone').optional(),
      to: instantInput('End, at most 31 days after from; left out: now.', 'timezone').optional(),
      timezone: timezoneField
        .optional()
        .describe("IANA zone of from, to and the times in words; left out: the service's."),
      format: z.enum(REPORT_FORMATS).default('json').describe('json, markdown (one text) or html (a page to print).'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(2000)
        .optional()
        .describe('Rows of each list, 1-2000; left out: 20, in a document 500.'),
      points: z
        .number()
        .int()
        .min(0)
        .max(MAX_POINTS)
        .optional()
        .describe('Number of values of each curve, 0-86400; left out: 0, in html 500.'),
    })
    .strict(),
  output: dataOf(runReportOutput),
  async handle({ store, control, clock }, { timezone: zone = control.timezone, format, limit, points, ...wanted }) {
    const { deviceIds, ...facts } = await readFacts(store, wanted, { zone, nowMs: clock.now() });
    const whole = runReport(facts);
    const curves = await readCurves(control, whole, deviceIds, points ?? (format === 'html' ? MANY : 0));
    const { report, more } = cutReport(whole, limit ?? (format === 'json' ? FEW : MANY));
    const { livestreamId, name, verdict, run, from, to, missed_seconds, zone: _zone, ...lists } = report;
    const common = { livestreamId, name, verdict, run, from, to, missed_seconds };
    if (format === 'json') return { body: { data: { ...common, ...lists, curves, more, text: null } } };
    const text =
      format === 'html'
        ? reportPage(report, more, { curves, pictures: await readPictures(control, whole, deviceIds) })
        : reportMarkdown(report, more);
    return { body: { data: { ...common, ...NO_LISTS, curves: null, more, text } }, file: documentFile(format, text) };
  },
});
