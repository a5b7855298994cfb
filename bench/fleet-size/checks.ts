/** The truths of every run, whatever befell the fleet: nothing is lost, nothing is done twice. */
import { countOfStatus, waitFor, type Scene } from './scene.ts';

export interface Line {
  what: string;
  found: string;
  holds: boolean;
}

export type Checked = readonly Line[];

export async function checked(scene: Scene): Promise<Checked> {
  return [
    await eventLine(scene),
    await writeLine(scene),
    await startLine(scene),
    ...(await onAirLines(scene)),
    ...serverLines(scene),
  ];
}

/** Those that are lost, and those that are there more than once. */
function compare(wanted: readonly string[], stored: readonly string[]): { lost: number; doubled: number } {
  const counts = new Map<string, number>();
  for (const mark of stored) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const doubled = [...counts.values()].filter((count) => count > 1).length;
  return { lost: without(wanted, stored), doubled };
}

const without = (all: readonly string[], others: readonly string[]): number => {
  const known = new Set(others);
  return all.filter((each) => !known.has(each)).length;
};

const exactly = (what: string, wanted: number, { lost, doubled }: { lost: number; doubled: number }): Line => ({
  what,
  found: `of ${wanted}: ${lost} lost, ${doubled} there twice`,
  holds: wanted > 0 && lost === 0 && doubled === 0,
});

async function eventLine({ devices, servers }: Scene): Promise<Line> {
  const marks = await devices.marks();
  const text = "select row->'data'->>'mark' as mark from onair.events where kind = 'destination_retrying'";
  const stored = async (): Promise<string[]> => (await servers.query(text)).map(({ mark }) => String(mark));
  // What was reported in the last moment is on its way.
  await waitFor('the last events', async () => (await stored()).length >= marks.length, 20_000).catch(() => undefined);
  return exactly('events that the Devices have reported are stored once', marks.length, compare(marks, await stored()));
}

async function writeLine({ background, servers }: Scene): Promise<Line> {
  const marks = background.calls.flatMap(({ mark, status }) => (mark !== undefined && status === 201 ? mark : []));
  const text = "select row->'payload'->>'text' as mark from onair.all_planned_actions";
  const stored = (await servers.query(text)).map(({ mark }) => String(mark));
  return exactly('writes that were acknowledged are stored once', marks.length, compare(marks, stored));
}

/** Each Live stream has one run on air, at the Device that the store says. */
async function onAirLines(scene: Scene): Promise<Line[]> {
  const all = scene.racks.flat().length;
  const { runs } = await scene.devices.counted();
  const placed = await scene.servers.query(
    "select id, row->>'runId' as run, row->>'deviceId' as device from onair.all_runs where row->>'status' = '2'",
  );
  const stored = placed.map(({ id, run, device }) => `${String(id)} ${String(run)} ${String(device)}`);
  const there = runs.map(({ runId, livestreamId, deviceId }) => `${livestreamId} ${runId} ${deviceId}`);
  const count = await countOfStatus(scene, 2);
  return [
    { what: 'all Live streams are on air', found: `${count} of ${all}`, holds: count === all },
    exactly('runs of the store are on air at their Devices, and no others', all, {
      lost: without(stored, there),
      doubled: without(there, stored),
    }),
  ];
}

async function startLine({ devices, racks, orderedStops, startsBefore }: Scene): Promise<Line> {
  const { starts, stops } = await devices.counted();
  const wanted = startsBefore + racks[0]!.length + orderedStops;
  return {
    what: 'each start and each stop has reached a Device once, and no fault began or ended a broadcast',
    found: `${starts} starts of ${wanted}, ${stops} stops of ${orderedStops}`,
    holds: starts === wanted && stops === orderedStops,
  };
}

function serverLines({ servers, background, unfinished }: Scene): Line[] {
  const { failures } = servers;
  const refused = background.calls.filter(({ status }) => status >= 400 || status === 0);
  const [first] = failures;
  return [
    {
      what: 'every fault was over within three minutes',
      found: unfinished.length === 0 ? 'all' : unfinished.join('; '),
      holds: unfinished.length === 0,
    },
    {
      what: 'the servers have failed to answer no call',
      found: failures.length === 0 ? 'none' : `${failures.length}, such as ${first!.slice(0, 300)}`,
      holds: failures.length === 0,
    },
    {
      what: 'every call in the background has come to its answer',
      found: `${refused.length} of ${background.calls.length} have not`,
      holds: refused.length === 0,
    },
  ];
}
