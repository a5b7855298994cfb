/** The answers beside the source: where to, quality, recording and time. An empty one leaves the choice to the server. */
import { signal, useSignal, type Signal } from '@preact/signals';

/** One place that it is delivered to. */
export interface Delivery {
  /** A platform; empty: this server. */
  template: Signal<string>;
  url: Signal<string>;
  key: Signal<string>;
}

export interface Options {
  deliveries: Signal<readonly Delivery[]>;
  quality: Signal<string>;
  record: Signal<boolean>;
  begins: Signal<string>;
  ends: Signal<string>;
  start: Signal<boolean>;
  recurrence: Signal<string>;
}

export function newDelivery(): Delivery {
  return { template: signal(''), url: signal(''), key: signal('') };
}

export function useOptions(): Options {
  return {
    deliveries: useSignal<readonly Delivery[]>([newDelivery()]),
    quality: useSignal(''),
    record: useSignal(false),
    begins: useSignal(''),
    ends: useSignal(''),
    start: useSignal(true),
    recurrence: useSignal('none'),
  };
}

/** The arguments of the set-up; a time without a zone is by the clock of the server. */
export function optionsIn(options: Options): Record<string, unknown> {
  const { deliveries, quality, record, begins, ends, start, recurrence } = options;
  const start_at = withSeconds(begins.peek());
  const end_at = start_at === '' ? '' : withSeconds(ends.peek());
  const sent: Record<string, unknown> = {
    ...deliveredTo(deliveries.peek()),
    ...filled({ quality: quality.peek(), start_at, end_at }),
  };
  if (start_at !== '' && recurrence.peek() !== 'none') sent['recurrence'] = recurrence.peek();
  if (record.peek()) sent['record'] = true;
  // A broadcast with a time of its own is not started before it.
  if (!start.peek() && start_at === '') sent['start'] = false;
  return sent;
}

/** The name that the server has for a field of one of them. */
export function fieldOf(name: 'url' | 'stream_key', place: number, count: number): string {
  return count === 1 ? name : `destinations.${place}.${name}`;
}

/** One is told as the fields themselves, several as a list of them. */
function deliveredTo(deliveries: readonly Delivery[]): Record<string, unknown> {
  const each = deliveries.map(({ template, url, key }) =>
    // The address and the key of a platform belong to it; hidden again, they are not meant any more.
    template.peek() === ''
      ? {}
      : filled({ template: template.peek(), url: url.peek().trim(), stream_key: key.peek().trim() }),
  );
  return each.length === 1 ? each[0]! : { destinations: each };
}

function filled(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** A browser gives no seconds where they are zero. */
function withSeconds(time: string): string {
  return /T\d\d:\d\d$/u.test(time) ? `${time}:00` : time;
}
