/** The agent's HTTP API: over its unix socket for the control plane of this machine and the CLI, or over a paired channel. */
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context, type Env } from 'hono';
import { AppError, wordsOf } from '../../domain/base/errors.ts';
import type { IngestAddress } from '../../domain/shapes/sources/ingest.ts';
import type { DeviceProbe } from '../../domain/shapes/sources/probe.ts';
import { isPlain } from '../../domain/base/schema.ts';
import { isChange, isSource, isSpec, ordersIn } from '../../domain/reported/orders.ts';
import type { SourceSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { Audience } from './audience/audience.ts';
import { sightingsCall } from './audience/sightings-call.ts';
import { helloOf } from './capabilities.ts';
import type { Probed } from './capability-probe.ts';
import type { TrialFacts } from './trials/encoding-trial.ts';
import type { Fleet } from './runs/fleet.ts';
import type { Log } from '../../domain/base/log.ts';
import { keptCalls } from './kept-calls.ts';
import type { Pairing } from './pairing.ts';
import type { Credentials } from './psk.ts';
import type { AgentHealth } from './paths.ts';
import { recordingCalls, type AgentApp } from './recording-api.ts';
import type { PushSupervisor } from './push-supervisor.ts';
import type { Recordings } from './recordings/recordings.ts';
import { leaseCall, ownerCalls, type RemoteCalls } from './owner-calls.ts';
import { isRunId } from './runs/run-record.ts';
import type { StorageWatch } from './storage/storage-watch.ts';
import type { StoreMarkFile } from './files/store-mark-file.ts';
import { streamAlive, streamWatch } from './watch-stream.ts';

export interface AgentApiOptions {
  fleet: Fleet;
  recordings: Recordings;
  push: PushSupervisor;
  disks: StorageWatch;
  ingest: IngestAddress;
  log: Log;
  cores: () => number;
  health: () => AgentHealth;
  storeMark: StoreMarkFile;
  /** It is probed once; the first hello may wait for it. */
  capabilities: () => Promise<Probed & TrialFacts>;
  /** Looks at a source for some seconds. */
  probe: (source: SourceSpec, isOnAir: boolean) => Promise<DeviceProbe>;
  /** A JPEG of what a pusher sends now. */
  pushedPicture: (source: SourceSpec, width: number) => Promise<Buffer>;
  /** Over the unix socket only: ends the agent once the answer has left. */
  end?: () => void;
  /** Over the unix socket only: resolves with the new credentials, or with null where the agent does not listen. */
  unpair?: () => Promise<Credentials | null>;
  /** Over the unix socket only: takes what other processes of this machine that deliver its media have seen. */
  audience?: Pick<Audience, 'take'>;
  /** Over the unix socket only: keeps the server of this machine and a paired one apart. */
  pairing?: Pairing;
  /**
   * Over a paired channel only, whose control plane has no disk in common with the Device. `leave` ends runs and pairing; the function that
   * it resolves with ends the channels, the one of this call among them.
   */
  remote?: RemoteCalls;
}

/** A paired Device refuses them to the server of its own machine. */
const LOCAL_PATHS = [
  '/lease',
  '/runs/*',
  '/curves/*',
  '/pictures/*',
  '/recordings/*',
  '/ingests',
  '/probe/*',
  '/store-mark',
];

export function agentApi({
  fleet,
  recordings,
  push,
  disks,
  ingest,
  log,
  cores,
  health,
  storeMark,
  capabilities,
  probe,
  pushedPicture,
  end,
  unpair,
  pairing,
  audience,
  remote,
}: AgentApiOptions): AgentApp {
  const app = new Hono<{ Bindings: HttpBindings }>();
  if (remote !== undefined) ownerCalls(app, remote, fleet);

  app.get('/health', (context) => context.json(health()));
  app.get('/hello', async (context) => {
    const { mark } = storeMark;
    const facts = { mediaUrl: health().mediaUrl, cores: cores(), runs: fleet.reports, ingest };
    const [able] = await Promise.all([capabilities(), disks.isTried]);
    const known = { storage: disks.storage, ...(mark !== undefined && { mark }) };
    return context.json(helloOf({ ...able, ...facts, ...known }));
  });

  for (const path of LOCAL_PATHS)
    app.use(path, async (_context, next) => {
      pairing?.assertLocal();
      await next();
    });

  app.get('/watch', (context) => {
    const release = pairing?.watchLocally();
    if (release !== undefined) context.env.outgoing.once('close', release);
    const byChanges = context.req.query('reports') === 'changes';
    streamWatch({ fleet, recordings, push, disks }, context.env.outgoing, byChanges);
    return RESPONSE_ALREADY_SENT;
  });

  app.get('/alive', (context) => {
    streamAlive(context.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });

  app.post('/runs', async (context) => {
    const { spec } = await bodyOf(context);
    if (!isSpec(spec))
      throw new AppError('invalid_input', 'The body is not a RunSpec: { spec: { runId, livestreamId, source, … } }.');
    await fleet.start(spec);
    return context.json({ runId: spec.runId }, 202);
  });

  app.post('/runs/:runId/stop', async (context) => {
    const runId = runIdOf(context.req.param('runId'));
    await fleet.stop(runId);
    return context.json({ known: fleet.has(runId) });
  });

  changeCall(app, fleet);
  leaseCall(app, fleet);
  forgetCall(app, fleet);
  markCalls(app, fleet, storeMark);
  ingestCall(app, push);
  probeCalls(app, { probe, pushedPicture });
  pictureCalls(app, fleet);
  keptCalls(app, fleet.kept);
  recordingCalls(app, recordings);
  if (audience !== undefined) sightingsCall(app, audience);
  if (end !== undefined) shutdownCall(app, { fleet, push, log }, end);
  if (unpair !== undefined) app.delete('/pairing', async (context) => context.json(await unpair()));
  if (remote !== undefined) remoteCalls(app, remote);
  refuseCall(app, log);
  return app;
}

function ingestCall(app: AgentApp, push: PushSupervisor): void {
  app.put('/ingests', async (context) => {
    const ingests = ordersIn((await bodyOf(context))['ingests']);
    if (ingests === undefined)
      throw new AppError('invalid_input', 'The body is not { ingests: [{ channelId, name, type, settings }, …] }.');
    await push.set(ingests);
    return context.json({});
  });
}

function probeCalls(app: AgentApp, { probe, pushedPicture }: Pick<AgentApiOptions, 'probe' | 'pushedPicture'>): void {
  app.post('/probe', async (context) => {
    const { source, isOnAir } = await bodyOf(context);
    return context.json(await probe(sourceIn(source), isOnAir === true));
  });
  app.post('/probe/picture', async (context) => {
    const { source, width } = await bodyOf(context);
    return context.json({ jpeg: (await pushedPicture(sourceIn(source), Number(width))).toString('base64') });
  });
}

function changeCall(app: AgentApp, fleet: Fleet): void {
  app.post('/runs/:runId/change', async (context) => {
    const { change, changeId } = await bodyOf(context);
    if (!isChange(change) || !(changeId === undefined || typeof changeId === 'string'))
      throw new AppError(
        'invalid_input',
        'The body is not { change, changeId }, with a change that this Device knows.',
      );
    return context.json(await fleet.change(runIdOf(context.req.param('runId')), change, changeId));
  });
}

function forgetCall(app: AgentApp, fleet: Fleet): void {
  app.delete('/runs/:runId', async (context) => {
    await fleet.forget(runIdOf(context.req.param('runId')));
    return context.body(null, 204);
  });
}

/** A store that may go back has a mark and the orders of runs kept here. */
function markCalls(app: AgentApp, fleet: Fleet, storeMark: StoreMarkFile): void {
  app.put('/store-mark', async (context) => {
    await storeMark.keep((await context.req.json<{ mark?: unknown }>()).mark);
    return context.json({});
  });
  app.get('/runs/:runId/order', (context) => {
    const runId = runIdOf(context.req.param('runId'));
    const order = fleet.runs.find(({ spec }) => spec.runId === runId)?.spec.order;
    if (order === undefined) throw new AppError('not_found', `The Device has no order of run ${runId}.`);
    return context.json({ order });
  });
}

function pictureCalls(app: AgentApp, fleet: Fleet): void {
  app.get('/runs/:runId/preview', async (context) => {
    const width = Number(context.req.query('width'));
    return context.json(await fleet.preview(runIdOf(context.req.param('runId')), width));
  });

  app.get('/runs/:runId/picture', async (context) => {
    const width = Number(context.req.query('width'));
    return context.json(await fleet.picture(runIdOf(context.req.param('runId')), width));
  });
}

function shutdownCall(
  app: AgentApp,
  { fleet, push, log }: Pick<AgentApiOptions, 'fleet' | 'push' | 'log'>,
  end: () => void,
): void {
  app.post('/shutdown', async (context) => {
    const { runs } = await bodyOf(context);
    if (runs !== 'keep' && runs !== 'stop') throw new AppError('invalid_input', 'runs must be keep or stop.');
    log.info({ runs }, 'The agent was told to end.');
    if (runs === 'stop') await Promise.all([fleet.stopAll(), push.stop()]);
    context.env.outgoing.once('close', end);
    return context.json({ runs });
  });
}

function remoteCalls(app: AgentApp, { assets, leave }: RemoteCalls): void {
  app.get('/assets/:tag/:filename', async (context) => {
    const { tag, filename } = context.req.param();
    const path = await assets.find(tag, filename);
    if (path === undefined) throw new AppError('not_found', 'The Device does not hold this file.');
    return context.json({ path });
  });

  app.put('/assets/:tag/:filename', async (context) => {
    const { tag, filename } = context.req.param();
    return context.json({ path: await assets.receive(tag, filename, context.env.incoming) });
  });

  app.post('/assets/:tag/:filename', async (context) => {
    const { tag, filename } = context.req.param();
    const { url } = await bodyOf(context);
    if (typeof url !== 'string' || !/^https?:/u.test(url) || !URL.canParse(url))
      throw new AppError('invalid_input', 'The body is not { url }, with an address of http or https.');
    return context.json({ path: await assets.fetch(tag, filename, url) });
  });

  // A control plane that gives the Device up calls it: nobody would supervise its runs any more.
  app.delete('/pairing', async (context) => {
    context.env.outgoing.once('close', await leave());
    return context.json({ paired: false });
  });
}

/** Answers calls that an API of the agent does not have, and calls that fail. */
export function refuseCall<E extends Env>(app: Hono<E>, log: Log): void {
  app.notFound((context) => context.json({ code: 'not_found', detail: 'The agent has no such call.' }, 404));
  app.onError((error, context) => {
    if (error instanceof SyntaxError)
      return context.json({ code: 'invalid_input', detail: 'The body is not JSON.' }, 400);
    const known =
      error instanceof AppError ? error : new AppError('internal', 'The Device agent failed to answer this call.');
    if (known.fault === 'server') log.error({ err: error }, 'A call to the agent failed.');
    return context.json(
      { code: known.code, detail: known.message, ...wordsOf(known), ...ownerIn(known) },
      known.status as 500,
    );
  });
}

/** The highest token that the Device knows, beside the refusal of a lower one. */
function ownerIn({ extras: { facts } }: AppError): { owner?: number } {
  const owner = facts?.['owner'];
  return typeof owner === 'number' ? { owner } : {};
}

/** The fields of a body of JSON; none for a body that has none. */
async function bodyOf(context: Context): Promise<Record<string, unknown>> {
  const body: unknown = await context.req.json();
  return isPlain(body) ? body : {};
}

function sourceIn(given: unknown): SourceSpec {
  if (isSource(given)) return given;
  throw new AppError('invalid_input', 'The body has no source: { channelId, type, settings, path }.');
}

function runIdOf(given: string): string {
  if (!isRunId(given)) throw new AppError('invalid_input', 'That is not the id of a run.');
  return given;
}
