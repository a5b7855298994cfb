import assert from 'node:assert/strict';
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';
import type { Caller, TokenScope } from '../../domain/shapes/installation/security.ts';
import { profileByName } from '../../profiles/profiles.ts';
import type { Call, Reply } from '../../toolkit/call.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { ROLES, type UserIds, type UserName } from './users.ts';

export type Row = Record<string, unknown> & { id: number };

export type CallOptions = Partial<Omit<Call, 'operation' | 'args' | 'caller' | 'profile'>> & {
  user?: UserName;
  profile?: string;
  sealKey?: Buffer;
  /** The limits of the token. */
  scope?: TokenScope;
};

/** Operations called as an API calls them: dispatched, by a user, under a profile. */
export interface Calls {
  call(operation: string, args?: object, options?: CallOptions): Promise<Reply>;
  /** Answers `data` of the reply. */
  data(operation: string, args?: object, options?: CallOptions): Promise<Row>;
  rows(operation: string, args?: object, options?: CallOptions): Promise<Row[]>;
  ids(operation: string, args?: object): Promise<number[]>;
  /** Fails when the call is not refused with this code. */
  refused(code: ErrorCode, operation: string, args?: object, options?: CallOptions): Promise<AppError>;
}

export function createCalls(dispatcher: Dispatcher, users: UserIds): Calls {
  const call: Calls['call'] = (
    operation,
    args = {},
    { user = 'admin', profile, sealKey = Buffer.alloc(32, 1), scope, ...options } = {},
  ) => {
    const caller: Caller = {
      userId: users[user],
      username: user,
      role: ROLES[user],
      api: user === 'admin',
      tokenKid: 'kid',
      scope,
      sealKey,
    };
    return dispatcher.dispatch({
      operation,
      args,
      caller,
      via: 'rest',
      profile: profileByName(profile),
      requestId: 'request',
      ...options,
    });
  };
  const rows: Calls['rows'] = async (...request) => ((await call(...request)).body as { rows: Row[] }).rows;
  return {
    call,
    data: async (...request) => ((await call(...request)).body as { data: Row }).data,
    rows,
    ids: async (...request) => (await rows(...request)).map((row) => row.id),
    async refused(code, operation, args, options) {
      const error = await call(operation, args, options).then(
        (reply) => assert.fail(`${operation} was not refused: ${JSON.stringify(reply.body)}`),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code, `${error.message} ${String(error.extras.cause)}`);
      return error;
    },
  };
}

/** Fields that the error names. */
export function fieldsOf(error: AppError): string[] {
  return (error.extras.errors ?? []).map((issue) => issue.field);
}
