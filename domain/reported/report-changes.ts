/** Reports of runs on their way: whole the first time, and after that by their fields that have changed, each whole. */
import { isSameJson } from '../base/json.ts';
import type { DeviceMessage } from '../ports/device-link.ts';
import type { ReportChange, RunReport } from '../shapes/broadcasts/run.ts';
import { runId } from './fields.ts';
import { knownOf, oneOf, shape } from './forms.ts';
import { OPTIONAL_FIELDS, ownWatch, someOfReport } from './run-report.ts';

export interface ChangedReport extends ReportChange {
  type: 'changed';
  runId: string;
}

const MAX_FIELDS = 100;
/** A field that every report has is never left out. */
export const changedReport = shape({
  runId,
  report: someOfReport,
  without: knownOf(oneOf(OPTIONAL_FIELDS), MAX_FIELDS),
});

/** The last report of each run. Both ends of a line keep them, from its beginning on. */
export class KnownReports {
  private readonly reports = new Map<string, RunReport>();

  get all(): RunReport[] {
    return [...this.reports.values()];
  }

  clear(): void {
    this.reports.clear();
  }

  /** Keeps the report; answers what to send for it. A change that came with it is one beside the last report that is known here. */
  next(report: RunReport, change?: ReportChange): { type: 'report'; report: RunReport } | ChangedReport {
    const before = this.reports.get(report.runId);
    this.reports.set(report.runId, report);
    if (before === undefined) return { type: 'report', report };
    return { type: 'changed', runId: report.runId, ...(change ?? changeOf(before, report)) };
  }

  /** Takes what came; answers the message itself, or undefined for a change of a report that is not known here. */
  take(message: DeviceMessage | ChangedReport): DeviceMessage | undefined {
    if (message.type === 'gone') this.reports.delete(message.runId);
    if (message.type === 'report') this.reports.set(message.report.runId, message.report);
    if (message.type !== 'changed') return message;
    const before = this.reports.get(message.runId);
    if (before === undefined) return undefined;
    const { report: changed, without } = message;
    const report = withChange(before, message);
    this.reports.set(before.runId, report);
    return { type: 'report', report, change: { report: changed, without } };
  }
}

function changeOf(before: RunReport, now: RunReport): ReportChange {
  const report: Record<string, unknown> = {};
  const names = Object.keys(now) as (keyof RunReport)[];
  for (const name of names) if (!isSameJson(before[name], now[name])) report[name] = now[name];
  return { report, without: OPTIONAL_FIELDS.filter((name) => before[name] !== undefined && now[name] === undefined) };
}

/** A change says nothing of another run. */
function withChange(before: RunReport, { report, without }: ReportChange): RunReport {
  const { runId: id, livestreamId } = before;
  const now: RunReport = { ...before, ...report, runId: id, livestreamId };
  for (const name of without) delete now[name];
  return report.watch === undefined ? now : ownWatch(now);
}
