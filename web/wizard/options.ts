/** The answers beside the source: where to, quality, recording and time. An empty one leaves the choice to the server. */
import { useSignal, type Signal } from '@preact/signals';

export interface Options {
  template: Signal<string>;
  url: Signal<string>;
  key: Signal<string>;
  quality: Signal<string>;
  record: Signal<boolean>;
  begins: Signal<string>;
  ends: Signal<string>;
  start: Signal<boolean>;
  recurrence: Signal<string>;
}

export function useOptions(): Options {
  return {
    template: useSignal(''),
    url: useSignal(''),
    key: useSignal(''),
    quality: useSignal(''),
    record: useSignal(false),
    begins: useSignal(''),
    ends: useSignal(''),
    start: useSignal(true),
    recurrence: useSignal('none'),
  };
}

/** The arguments of the set-up; a time without a zone is by the clock of the server. */
export function optionsIn(options: Options): Record<string, string | boolean> {
  const { template, url, key, quality, record, begins, ends, start, recurrence } = options;
  const texts = {
    template: template.peek(),
    url: url.peek().trim(),
    stream_key: key.peek().trim(),
    quality: quality.peek(),
    start_at: withSeconds(begins.peek()),
    end_at: begins.peek() === '' ? '' : withSeconds(ends.peek()),
  };
  const sent: Record<string, string | boolean> = Object.fromEntries(
    Object.entries(texts).filter(([, text]) => text !== ''),
  );
  if (texts.start_at !== '' && recurrence.peek() !== 'none') sent['recurrence'] = recurrence.peek();
  // The address and the key of a platform belong to it; hidden again, they are not meant any more.
  if (texts.template === '') {
    delete sent['url'];
    delete sent['stream_key'];
  }
  if (record.peek()) sent['record'] = true;
  // A broadcast with a time of its own is not started before it.
  if (!start.peek() && texts.start_at === '') sent['start'] = false;
  return sent;
}

/** A browser gives no seconds where they are zero. */
function withSeconds(time: string): string {
  return /T\d\d:\d\d$/u.test(time) ? `${time}:00` : time;
}
