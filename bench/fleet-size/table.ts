/** The findings of a run of the simulator, in figures beside their bars and in words. */
import { figureTable, tableOf } from '../document.ts';
import { bounded, type Figure } from '../figures.ts';
import { percentile, type Call } from './background.ts';
import type { Measured } from './simulation.ts';
import type { Span } from './usage.ts';

/** A call that was first tried so soon behind a fault may still wait for what the fault has left. */
const AFTER_MS = 3_000;
/** Processor time is looked at once a second. */
const LOOK_MS = 1_000;
const FULL = { devices: 1000, livestreams: 10_000 };

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const most = (values: readonly number[]): number => Math.max(...values);
const fixed = (values: readonly number[], digits: number): string =>
  values.map((value) => value.toFixed(digits)).join(', ');
const secondsIn = ({ from, to }: Span): number => (to - from) / 1000;
const plain = (name: string, value: number, unit: string, note: string): Figure => ({
  name,
  value,
  unit,
  note,
  bar: '–',
  met: true,
});

export function textOf(measured: Measured): string {
  const { size, checked } = measured;
  const { devices, livestreams, members, minutes, seed } = size;
  const head = `${devices} simulated Devices with ${livestreams} Live streams, ${members} servers, ${minutes} minutes, seed ${seed}.`;
  const lines = checked.map(({ what, found, holds }) => [what, found, holds ? 'yes' : '**no**']);
  const kept = tableOf(['What must be true', 'Found', 'It is'], lines);
  return [head, kept, figureTable(figuresOf(measured)), larger(measured)].join('\n\n');
}

function faultsOf({ bursts, storms, silences, deaths, restarts }: Measured): Span[] {
  return [...bursts, ...storms, ...silences, ...deaths, ...restarts];
}

const callsIn = (calls: readonly Call[], { from, to }: Span): Call[] =>
  calls.filter(({ at }) => at >= from && at <= to);

function figuresOf(measured: Measured): Figure[] {
  return [...apiFigures(measured), ...serverFigures(measured), ...faultFigures(measured), ...costFigures(measured)];
}

function apiFigures(measured: Measured): Figure[] {
  const { scene, whole, storms } = measured;
  const { calls } = scene.background;
  const faults = faultsOf(measured);
  const isNear = ({ at }: Call): boolean => faults.some(({ from, to }) => at >= from && at <= to + AFTER_MS);
  const quiet = callsIn(calls, whole).filter((call) => !isNear(call));
  const stormy = storms.flatMap((storm) => callsIn(calls, storm));
  const harmed = callsIn(calls, whole).filter(isNear);
  return [
    bounded('Calls, no fault near: median', percentile(quiet, 0.5), 20, 'ms', `${quiet.length} calls`),
    bounded('Calls, no fault near: p99', percentile(quiet, 0.99), 150, 'ms', kindsOf(quiet)),
    bounded('Calls during a storm of events: p99', percentile(stormy, 0.99), 300, 'ms', kindsOf(stormy)),
    plain('Calls near a fault: p99', percentile(harmed, 0.99), 'ms', `${harmed.length} calls`),
  ];
}

function kindsOf(calls: readonly Call[]): string {
  const kinds = [...new Set(calls.map(({ kind }) => kind))].map((kind) => {
    const own = calls.filter((call) => call.kind === kind);
    return `${kind} ${percentile(own, 0.5).toFixed(0)}/${percentile(own, 0.99).toFixed(0)}`;
  });
  return `${calls.length} calls, p50/p99: ${kinds.join('; ')}`;
}

function serverFigures({ scene, calm, whole }: Measured): Figure[] {
  const { servers, database, devices, others } = scene.usage.cores(calm);
  const all = scene.usage.cores(whole);
  const late = (name: string, { p999, longest }: Measured['calm']['lateness']): Figure =>
    bounded(`Event loop of a server is late, p99.9, ${name}`, p999, 50, 'ms', `longest ${longest} ms`);
  return [
    late('no fault', calm.lateness),
    late('with faults', whole.lateness),
    bounded('Processor of a server, no fault', most(servers), 1, 'cores', fixed(servers, 2)),
    plain('Processor of a server, with faults', most(all.servers), 'cores', fixed(all.servers, 2)),
    bounded(
      'Memory of a server, the most',
      scene.usage.mostMemory,
      600,
      'MB',
      `no fault: ${fixed(scene.usage.memory(calm), 0)}`,
    ),
    bounded('Processor of the database, no fault', database, 1, 'cores', `with faults ${all.database.toFixed(2)}`),
    plain(
      'Processor of the simulated Devices, no fault',
      devices,
      'cores',
      `all else on this machine: ${others.toFixed(2)}`,
    ),
  ];
}

/** The worst of each kind counts; there is none where no fault of it was over within its bound. */
function faultFigures(measured: Measured): Figure[] {
  const { bursts, storms, silences, deaths, restarts, joined, filled } = measured;
  const each = <T>(all: readonly T[], value: (one: T) => number, figures: (worst: T) => Figure[]): Figure[] =>
    all.length === 0 ? [] : figures(all.reduce((a, b) => (value(a) > value(b) ? a : b)));
  return [
    ...each(
      bursts,
      ({ handedOver }) => handedOver,
      ({ starts, handedOver, answered, onAir }) => [
        bounded(
          `${starts} starts at once: handed over`,
          handedOver,
          10,
          's',
          `answered ${answered.toFixed(1)} s, on air ${onAir.toFixed(1)} s`,
        ),
      ],
    ),
    ...each(
      storms,
      ({ absorbed }) => absorbed,
      ({ events, absorbed }) => [
        bounded(`${events} events at once: stored`, absorbed, 10, 's', `${storms.length} times`),
      ],
    ),
    ...each(
      deaths,
      ({ back }) => back,
      ({ devices, connected, back }) => [
        bounded(
          'A server is killed: all Devices back',
          back,
          10,
          's',
          `it had ${devices}; connected ${connected.toFixed(1)} s`,
        ),
      ],
    ),
    ...coldFigures(measured),
    ...each(
      restarts,
      ({ writable }) => writable,
      ({ away, writable, lost }) => [
        plain(
          'The database starts again: every server takes writes',
          writable,
          's',
          `away ${away.toFixed(1)} s, ${lost} connections of Devices lost`,
        ),
      ],
    ),
    ...each(
      silences,
      ({ noticed }) => noticed,
      ({ noticed, back }) => [
        plain(
          'A Device is silent: noticed',
          noticed,
          's',
          `there again ${back.toFixed(1)} s after it can be; ${silences.length} times`,
        ),
      ],
    ),
    plain(
      'All Devices have joined, from nothing',
      joined,
      's',
      `nine racks of ten on air ${filled.toFixed(1)} s later`,
    ),
  ];
}

function coldFigures({ coldStart }: Measured): Figure[] {
  if (coldStart === undefined) return [];
  const { first, spread, spreadAfter, ready, connected, online } = coldStart;
  const note = `all servers ready ${ready.toFixed(1)} s, all connected ${connected.toFixed(1)} s`;
  return [
    bounded('Cold start of all servers: all Devices online for all', online, 30, 's', note),
    plain('Devices of the servers then, the most', most(first), 'Devices', first.join(', ')),
    plain('and later', most(spread), 'Devices', `${spread.join(', ')} after ${spreadAfter.toFixed(0)} s`),
  ];
}

interface Costs {
  /** Cores of all servers together that the Devices take. */
  cores: number;
  megabytes: number;
  reportsPerSecond: number;
  reportsPerCoreSecond: number;
}

function costsOf({ scene, bare, calm }: Measured): Costs {
  const { usage } = scene;
  const cores = sum(usage.cores(calm).servers) - sum(usage.cores(bare).servers);
  const megabytes = sum(usage.memory(calm)) - sum(usage.memory(bare));
  const reportsPerSecond = calm.reports / secondsIn(calm);
  return { cores, megabytes, reportsPerSecond, reportsPerCoreSecond: reportsPerSecond / cores };
}

function costFigures(measured: Measured): Figure[] {
  const { scene, bare, calm, storms, size } = measured;
  const { usage } = scene;
  const { cores, megabytes, reportsPerSecond, reportsPerCoreSecond } = costsOf(measured);
  const without = usage.cores(bare);
  const bareNote = `without Devices ${fixed(without.servers, 2)} cores, ${fixed(usage.memory(bare), 0)} MB`;
  const base = usage.cores(calm);
  const wide = storms.map(({ from, to }) => ({ from: from - LOOK_MS, to: to + 2 * LOOK_MS }));
  const extra = (of: (span: Span) => number, calmCores: number): number =>
    sum(wide.map((span) => Math.max(0, of(span) - calmCores) * secondsIn(span)));
  const events = sum(storms.map((storm) => storm.events));
  const perServer = events / extra((span) => sum(usage.cores(span).servers), sum(base.servers));
  const perDatabase = events / extra((span) => usage.cores(span).database, base.database);
  return [
    plain('Processor of all servers a Device', (cores / size.devices) * 1000, 'ms/s', bareNote),
    plain('Memory of all servers a Device', (megabytes / size.devices) * 1024, 'KB', ''),
    plain(
      'Reports a core-second of all servers',
      reportsPerCoreSecond,
      '',
      `${reportsPerSecond.toFixed(0)} a second; each server has the changes of every report`,
    ),
    ...(Number.isFinite(perServer)
      ? [plain('Events a core-second of all servers', perServer, '', `of the database ${perDatabase.toFixed(0)}`)]
      : []),
  ];
}

/** The words on the full size, where all that a Device costs is as here. */
function larger(measured: Measured): string {
  const { scene, bare, size } = measured;
  const { usage } = scene;
  const { cores, megabytes, reportsPerCoreSecond } = costsOf(measured);
  const { members, devices } = size;
  const bareCores = most(usage.cores(bare).servers);
  const bareMemory = most(usage.memory(bare));
  const eachCores = bareCores + FULL.livestreams / reportsPerCoreSecond / members;
  const eachMemory = bareMemory + (megabytes / devices / members) * FULL.devices;
  return [
    `By these figures each of ${members} servers takes ${eachCores.toFixed(2)} cores and ${eachMemory.toFixed(0)} MB`,
    `for ${FULL.devices} Devices with ${FULL.livestreams} Live streams, and one core of a server carries`,
    `${Math.floor((devices * (1 - bareCores)) / (cores / members))} Devices with ten Live streams each.`,
  ].join(' ');
}
