/** The findings of a drill of several servers, and how they are put. */
import assert from 'node:assert/strict';
import type { CallRecord } from './fleet-calls.ts';
import type { Fault } from './fleet-faults.ts';
import type { RoamingFigures } from './fleet-roaming.ts';

export interface DrillFigures {
  faults: FaultFigures[];
  writes: { acknowledged: number; lost: number; doubled: number };
  /** `reasons` are the last events of those that were missed or done twice. */
  starts: { planned: number; missed: number; doubled: number; reasons: string[] };
  /** `leftOut` are those that the encoder says it had no time for. */
  onAir: { pictures: number; missing: number; repeated: number; leftOut: number };
  roaming: RoamingFigures;
  /** Servers that have ended without being killed. */
  ended: number;
  /** Calls that a server has failed to answer, as its log has them. */
  failed: string[];
}

/** Milliseconds from the first try of a call to its answer. */
interface Spread {
  p50: number;
  p95: number;
  max: number;
}

interface FaultFigures {
  name: string;
  count: number;
  /** Calls that began within some seconds of it, by their kind. */
  callMs: Record<string, Spread>;
  /** Changes on air that were first tried at its moment. */
  changeMs: Spread;
}

const NEAR_MS = 3_000;

export function figuresOf(faults: readonly Fault[], records: readonly CallRecord[]): FaultFigures[] {
  return [...new Set(faults.map(({ name }) => name))].sort().map((name) => {
    const own = faults.filter((fault) => fault.name === name);
    const near = records.filter(({ beganAt }) => own.some(({ at }) => beganAt > at - 100 && beganAt < at + NEAR_MS));
    const callMs = new Map<string, number[]>();
    for (const { kind, route, tookMs } of near) {
      const key = `${kind} ${route}`;
      callMs.set(key, [...(callMs.get(key) ?? []), tookMs]);
    }
    return {
      name,
      count: own.length,
      callMs: Object.fromEntries([...callMs].sort().map(([kind, values]) => [kind, spreadOf(values)])),
      changeMs: spreadOf(own.map(({ changeMs }) => changeMs)),
    };
  });
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** Throws AssertionError where a write, a start or a picture is lost, or is there twice, or two Devices have delivered to one server. */
export function assertUnharmed({ writes, starts, onAir, roaming, ended, failed }: DrillFigures): void {
  assert.deepEqual([writes.lost, writes.doubled], [0, 0]);
  assert.deepEqual([starts.missed, starts.doubled], [0, 0]);
  assert.ok(onAir.missing <= onAir.leftOut, `${onAir.missing} pictures are missing, ${onAir.leftOut} were left out`);
  assert.equal(onAir.repeated, 0);
  assert.deepEqual([roaming.atOnce, roaming.offAir], [1, []]);
  assert.deepEqual([ended, failed], [0, []]);
}

const inWords = ({ p50, p95, max }: Spread): string => `p50 ${p50}, p95 ${p95}, longest ${max} ms`;

export function drillTable({ faults, writes, starts, onAir, roaming, ended, failed }: DrillFigures): string[] {
  return [
    ...faults.flatMap(({ name, count, callMs, changeMs }) => [
      `${count} × ${name}: changes on air ${inWords(changeMs)}`,
      ...Object.entries(callMs).map(([kind, ms]) => `  ${kind}: ${inWords(ms)}`),
    ]),
    `writes: ${writes.acknowledged} acknowledged, ${writes.lost} lost, ${writes.doubled} done twice`,
    `starts: ${starts.planned} planned, ${starts.missed} missed, ${starts.doubled} done twice`,
    ...starts.reasons.map((event) => `  ${event}`),
    `on air: ${onAir.pictures} pictures, ${onAir.missing} missing, ${onAir.repeated} repeated, ${onAir.leftOut} left out`,
    `roaming: ${roaming.moved} ordered moves, longest gap ${roaming.longestGapMs} ms, of ${roaming.events} in all; ${roaming.atOnce} at once at most`,
    ...roaming.stayed.map((why) => `  stayed: ${why}`),
    ...roaming.offAir.map((event) => `  off air: ${event}`),
    `servers: ${ended} ended by themselves, ${failed.length} calls failed`,
    ...failed,
  ];
}
