/** The verdict of a report: what happened, in sentences, the worst first. */
import type { LivestreamEvent } from '../../shapes/installation/event.ts';
import type { Missed, WholeReport } from '../../shapes/reports/run-report.ts';
import { called, ended } from '../../base/sentence.ts';
import { spansForAll, type Span } from './missed-spans.ts';
import { dayAndTime, lengthOf, timesOf, type Words } from './report-times.ts';

const IN_WORDS: Readonly<Record<Missed['what'], string>> = {
  nothing: 'nothing',
  fallback: 'the fallback in place of the source',
  black: 'a black picture',
  frozen: 'a picture that stood still',
  silence: 'no sound',
  few_pictures: 'fewer pictures',
  not_known: 'what is not known',
  ordered_black: 'a blackout that was ordered',
};
const VIAS: Readonly<Record<string, string>> = {
  rest: 'REST',
  mcp: 'MCP',
  cli: 'the command line',
  ui: 'the page',
  schedule: 'a Schedule or planned action',
  oauth: 'a connected assistant',
};
/** More of them are in the list, and a reader of the verdict wants the worst. */
const MAX_TOLD = 3;
/** A start or stop and its event are one commit; workflows and set-ups take their time around it. */
const SAME_MS = 2000;

type Facts = Omit<WholeReport, 'verdict'>;

export function verdictOf(
  report: Facts,
  audience: readonly { at: string; peak: number }[],
  events: readonly Readonly<LivestreamEvent>[],
): string {
  const time = timesOf(report.from, report.zone);
  const forAll = report.missed.filter(({ publishingId }) => publishingId === null);
  return [
    airSentence(report, time),
    ...orderSentences(report, events, time),
    missedSentence(report, spansForAll(report.missed)),
    ...worst(forAll).map((each) => spanSentence(each, time)),
    ...moreSentence(forAll),
    ...destinationSentences(report, time),
    ...viewersSentence(audience, time),
  ].join(' ');
}

function airSentence({ name, run, from, to, zone }: Facts, time: Words): string {
  const who = JSON.stringify(name);
  const [begin, end] = [dayAndTime(from, zone), time(to)];
  if (run === null) return `${who} was not on air between ${begin} and ${end} (${zone}).`;
  if (run.on_air_at === null) {
    const outcome = run.ended_at === null ? 'is starting' : 'did not come on air';
    return `${who} was started at ${dayAndTime(run.started_at, zone)} (${zone}) and ${outcome}.`;
  }
  const since = dayAndTime(run.on_air_at, zone);
  if (run.ended_at === null) return `${who} has been on air since ${since} (${zone}).`;
  const length = lengthOf((Date.parse(run.ended_at) - Date.parse(run.on_air_at)) / 1000);
  return `${who} was on air from ${since} to ${time(run.ended_at)} (${zone}), ${length}.`;
}

/** Tells who started and stopped it, and why it ended by itself. */
function orderSentences(
  { orders, from, to }: Facts,
  events: readonly Readonly<LivestreamEvent>[],
  time: Words,
): string[] {
  const kinds = ['start_requested', 'stop_requested', 'start_failed', 'run_given_up'];
  return events
    .filter(
      ({ at, kind, severity }) =>
        at >= from && at <= to && (kinds.includes(kind) || (kind === 'stopped' && severity === 'error')),
    )
    .slice(-MAX_TOLD)
    .map(({ at, message }) => {
      const call = orders.find(
        (each) => each.outcome === 'ok' && Math.abs(Date.parse(each.at) - Date.parse(at)) < SAME_MS,
      );
      const way =
        call === undefined
          ? ''
          : ` (by ${VIAS[call.via]}${call.client === null ? '' : ` ${JSON.stringify(call.client)}`})`;
      return `${time(at)}: ${ended(message).replace(/\.$/u, `${way}.`)}`;
    });
}

function missedSentence({ run, missed, missed_seconds }: Facts, spans: readonly Span[]): string {
  if (run?.on_air_at == null) return 'There was nothing to miss.';
  if (missed_seconds === 0 && missed.length === 0) return 'Viewers missed nothing that the log knows of.';
  if (missed_seconds === 0) return 'All viewers together missed nothing that the log knows of.';
  const times = spans.length === 1 ? 'once' : `${spans.length} times`;
  return `All viewers missed the programme ${times}, ${lengthOf(missed_seconds)} together.`;
}

function worst(missed: readonly Missed[]): Missed[] {
  const first = [...missed].sort((a, b) => b.seconds - a.seconds).slice(0, MAX_TOLD);
  return missed.filter((each) => first.includes(each));
}

function moreSentence({ length }: readonly Missed[]): string[] {
  return length > MAX_TOLD ? [`${length - MAX_TOLD} shorter ones are in the list.`] : [];
}

function spanSentence({ from, to, seconds, what, pictures, is_over, message }: Missed, time: Words): string {
  const until = is_over ? ` to ${time(to)}` : ' on, and still';
  const lost = pictures === null ? '' : `, ${pictures} pictures lost`;
  return `From ${time(from)}${until} (${lengthOf(seconds)}${lost}) viewers had ${IN_WORDS[what]}: ${ended(message)}`;
}

function destinationSentences({ destinations, missed }: Facts, time: Words): string[] {
  return destinations
    .filter(({ down_seconds }) => down_seconds > 0)
    .sort((a, b) => b.down_seconds - a.down_seconds)
    .slice(0, MAX_TOLD)
    .map(({ publishingId, name, outages, down_seconds }) => {
      const [first] = missed.filter((each) => each.publishingId === publishingId).sort((a, b) => b.seconds - a.seconds);
      const who = called('Destination', { id: publishingId, name: name ?? undefined });
      const often = outages === 1 ? 'once' : `${outages} times`;
      const why = first === undefined ? '' : ` The longest began at ${time(first.from)}: ${ended(first.message)}`;
      return `${who} did not take the stream ${often}, ${lengthOf(down_seconds)} together.${why}`;
    });
}

function viewersSentence(audience: readonly { at: string; peak: number }[], time: Words): string[] {
  const [most] = [...audience].sort((a, b) => b.peak - a.peak);
  return most === undefined ? [] : [`At most ${most.peak} watched at a time, at ${time(most.at)}.`];
}
