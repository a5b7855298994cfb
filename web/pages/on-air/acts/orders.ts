/** Orders under way, by stream: what was pressed and what became of it. They never say what is on air. */
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { OrderOf } from '../../../api/order.ts';
import { announce, notify } from '../../../ui/registry/notices.ts';
import { takeAnswer } from '../../../live/streams.ts';
import type { LivestreamStatus } from '../../../live/status.ts';

/** A control of the page has one order at a time. */
export type Control =
  | 'blackout'
  | 'logo'
  | 'text'
  | 'source'
  | 'cueOut'
  | 'cueIn'
  | 'paths'
  | 'stop'
  | 'start'
  | 'clip'
  | 'record'
  | 'acknowledge'
  | 'key'
  | 'plan';

type AnyOrder = Pick<OrderOf<unknown>, 'state' | 'isBusy' | 'retry'>;

export interface UnderWay {
  livestreamId: number;
  control: Control;
  /** `going black …` */
  words: string;
  order: AnyOrder;
}

interface Done {
  /** `Studio 1 is black`: said when the answer has come. */
  text?: string;
  undo?: (() => void) | undefined;
  then?: () => void;
}

const underWay = signal<readonly UnderWay[]>([]);
/** When this window last ordered something of a stream, on performance.now. */
const orderedAt = new Map<number, number>();

export function ordersOf(livestreamId: number): readonly UnderWay[] {
  return underWay.value.filter((each) => each.livestreamId === livestreamId);
}

export function orderOf(livestreamId: number, control: Control): ReadonlySignal<UnderWay | undefined> {
  return computed(() => underWay.value.find((each) => each.livestreamId === livestreamId && each.control === control));
}

/** The words of an order that has no answer yet; undefined when there is none. */
export function busyWords(livestreamId: number, control: Control, unconfirmed: string): string | undefined {
  const found = underWay.value.find((each) => each.livestreamId === livestreamId && each.control === control);
  if (found?.order.isBusy.value !== true) return undefined;
  return found.order.state.value.kind === 'unconfirmed' ? `${found.words} ${unconfirmed}` : found.words;
}

export function dismiss(order: UnderWay): void {
  underWay.value = underWay.peek().filter((each) => each !== order);
}

/** Whether this window had a hand in what has just changed. */
export function hasJustOrdered(livestreamId: number, withinMs: number): boolean {
  return performance.now() - (orderedAt.get(livestreamId) ?? -Infinity) < withinMs;
}

function isStatus(data: unknown): data is LivestreamStatus {
  return typeof data === 'object' && data !== null && 'publishings' in data && 'runtime' in data;
}

/** Shows an order until its answer; a refusal stays until it is closed or tried again. */
export function follow(one: UnderWay, { text, undo, then }: Done = {}): void {
  orderedAt.set(one.livestreamId, performance.now());
  const others = underWay
    .peek()
    .filter((each) => each.livestreamId !== one.livestreamId || each.control !== one.control);
  underWay.value = [...others, one];
  announce(one.words);
  const end = effect(() => {
    const state = one.order.state.value;
    if (state.kind !== 'answered') return;
    queueMicrotask(() => {
      end();
      dismiss(one);
      orderedAt.set(one.livestreamId, performance.now());
      if (isStatus(state.data)) takeAnswer(state.data);
      if (text !== undefined) {
        if (undo !== undefined) notify(text, undo);
        else announce(text);
      }
      then?.();
    });
  });
}
