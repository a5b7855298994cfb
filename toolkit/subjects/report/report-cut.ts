/** The first rows of each list of a report, and how to get the others. */
import { REPORT_LISTS, type ReportList, type WholeReport } from '../../../domain/shapes/reports/run-report.ts';

export function cutReport(whole: WholeReport, limit: number): { report: WholeReport; more: string[] } {
  const report = { ...whole };
  const more = REPORT_LISTS.filter((list) => whole[list].length > limit).map((list) => {
    Object.assign(report, { [list]: whole[list].slice(0, limit) });
    return `${list}: the first ${limit} of ${whole[list].length}. ${restOf(whole, list, limit)}`;
  });
  return { report, more };
}

function restOf({ livestreamId, timeline, to }: WholeReport, list: ReportList, limit: number): string {
  const last = timeline[limit - 1];
  return list === 'timeline' && last !== undefined
    ? `Go on with getLivestreamEvents, livestreamId ${livestreamId}, from ${last.at}, to ${to}.`
    : 'Ask for a shorter time with from and to, or for more rows with limit.';
}
