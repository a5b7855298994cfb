/** A report as headings and tables, which each form of a document writes in its own way. */
import type { ReportList, WholeReport } from '../../../domain/shapes/reports/run-report.ts';
import { dayAndTime, lengthOf, timesOf } from '../../../domain/rules/reports/report-times.ts';

export interface Section {
  list: ReportList;
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

export const headingOf = ({ name, from, to, zone }: WholeReport): string =>
  `${name}, ${dayAndTime(from, zone)} to ${dayAndTime(to, zone)} (${zone})`;

export function sectionsOf(report: WholeReport): Section[] {
  const time = timesOf(report.from, report.zone);
  const nameOf = new Map(
    report.destinations.map(({ publishingId, name }) => [publishingId, name ?? String(publishingId)]),
  );
  const who = (publishingId: number | null): string =>
    publishingId === null ? 'all' : (nameOf.get(publishingId) ?? String(publishingId));
  const sections: Section[] = [
    {
      list: 'missed',
      title: 'What viewers missed',
      columns: ['From', 'To', 'Length', 'Viewers', 'At most', 'Had', 'Pictures lost', 'Why'],
      rows: report.missed.map(
        ({ from, to, seconds, publishingId, path, viewers, what, pictures, is_over, message }) => [
          time(from),
          is_over ? time(to) : 'goes on',
          lengthOf(seconds),
          path === 'backup' ? `${who(publishingId)} (backup)` : who(publishingId),
          viewers === null ? '' : String(viewers),
          what.replaceAll('_', ' '),
          pictures === null ? '' : String(pictures),
          message,
        ],
      ),
    },
    {
      list: 'orders',
      title: 'Who ordered what',
      columns: ['At', 'Who', 'By', 'Operation', 'Outcome', 'Fields'],
      rows: report.orders.map(({ at, user, via, client, operation, outcome, changed }) => [
        time(at),
        user,
        client === null ? via : `${via} (${client})`,
        operation,
        outcome,
        changed.join(', '),
      ]),
    },
    {
      list: 'destinations',
      title: 'Destinations',
      columns: ['Destination', 'Outages', 'Down'],
      rows: report.destinations.map(({ publishingId, name, outages, down_seconds }) => [
        name ?? String(publishingId),
        String(outages),
        lengthOf(down_seconds),
      ]),
    },
    {
      list: 'timeline',
      title: 'Events',
      columns: ['At', 'Part', 'What happened'],
      rows: report.timeline.map(({ at, since, part, severity, message }) => [
        since === null || time(since) === time(at) ? time(at) : `${time(at)} (since ${time(since)})`,
        severity === 'info' ? part : `${part}, ${severity}`,
        message,
      ]),
    },
    ...plannedSections(report),
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}

function plannedSections(report: WholeReport): Section[] {
  const time = timesOf(report.from, report.zone);
  return [
    {
      list: 'actions',
      title: 'Planned actions',
      columns: ['At', 'Action', 'Became', 'Why'],
      rows: report.actions.map(({ at, type, status, error }) => [time(at), type, status, error ?? '']),
    },
    {
      list: 'occurrences',
      title: 'Occurrences of Schedules',
      columns: ['Schedule', 'From', 'To', 'Became'],
      rows: report.occurrences.map(({ scheduleId, start, end, state }) => [
        String(scheduleId),
        time(start),
        time(end),
        state,
      ]),
    },
    {
      list: 'recordings',
      title: 'Recordings',
      columns: ['Recording', 'Status', 'Length'],
      rows: report.recordings.map(({ name, status, duration_seconds }) => [name, status, lengthOf(duration_seconds)]),
    },
  ];
}
