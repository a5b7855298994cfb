/** Saves and deletes with If-Match, so that nobody overwrites what somebody else has changed meanwhile. */
import { OPERATIONS, type OperationId } from '../../client/request.ts';
import { call, dataIn } from './call.ts';
import { can } from './can.ts';
import type { BodyOf, DataOf, ParamsOf } from './operation-types.ts';
import { ProblemError } from './problems.ts';
import { holdReads, resourceChanged } from './query.ts';
import { resourceOf } from './resources.ts';
import { changedBy, outcomeOf, type SaveOutcome } from './save-outcome.ts';

export interface Save<O extends OperationId> {
  operation: O;
  params?: ParamsOf<O> | undefined;
  body?: BodyOf<O> | undefined;
  /** Names the version that the person saw; a new row has none. */
  etag?: string | undefined;
  /** One press, one key: the same for a save that is sent again. */
  idempotencyKey?: string;
}

/** A view of a row that was deleted must be gone before its reads are made again. */
const GONE_MS = 200;

/** Never rejects for a refusal of the server. */
export function save<O extends OperationId>(request: Save<O>): Promise<SaveOutcome<DataOf<O>>> {
  const { operation, params, ...rest } = request;
  const { path, effect } = OPERATIONS[operation];
  const resource = resourceOf(path);
  // The feed may tell of the row's end before its own answer comes.
  const askAgain = effect === 'delete' ? holdReads(resource) : () => resourceChanged(resource);
  const settle = (): void => {
    if (effect === 'delete') setTimeout(askAgain, GONE_MS);
    else askAgain();
  };
  return outcomeOf<DataOf<O>>(
    async () => {
      try {
        const { body, etag } = await call(operation, { params, ...rest });
        return { data: dataIn(body) as DataOf<O>, etag };
      } finally {
        settle();
      }
    },
    () => theirs(operation, params),
  );
}

async function theirs<O extends OperationId>(
  operation: O,
  params: ParamsOf<O> | undefined,
): Promise<{ theirs: unknown; etag: string | undefined; by: string | undefined }> {
  const { path } = OPERATIONS[operation];
  const read = (Object.keys(OPERATIONS) as OperationId[]).find(
    (name) => OPERATIONS[name].method === 'GET' && OPERATIONS[name].path === path,
  );
  if (read === undefined) throw new ProblemError(412, {});
  const { body, etag } = await call(read, { params: params as never });
  const id = Object.values(params ?? {}).find((value) => typeof value === 'number');
  return { theirs: dataIn(body), etag, by: await whoChanged(path, id) };
}

/** Only Administrators may read the audit. */
async function whoChanged(path: string, id: unknown): Promise<string | undefined> {
  if (!can('getAuditLog') || typeof id !== 'number') return undefined;
  const changes = (Object.keys(OPERATIONS) as OperationId[]).filter(
    (name) => OPERATIONS[name].path === path && OPERATIONS[name].effect === 'update',
  );
  const { body } = await call('getAuditLog', { params: { resource_id: id, pageSize: 20 } as never });
  return changedBy((body as { rows: object[] }).rows, changes);
}
