/**
 * The typed client of onair. `createClient` gives a method for each operation; an answer is the body that the API description declares,
 * and a refusal is thrown as OnairProblem.
 */
import type { components } from './gen/api.d.ts';
import type { Client } from './gen/methods.d.ts';

export type { Answer, Args, CallOptions, OperationId } from './arguments.d.ts';
export type { Client };
/** The shapes of resources and answers, by name: `Schemas['Livestream']`. */
export type Schemas = components['schemas'];

export interface ClientOptions {
  /** Address of the service: `http://127.0.0.1:8090`. */
  url: string;
  /** API token. Documents such as healthz need none. */
  token?: string | undefined;
  /** Sends the requests in place of the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Throws TypeError for an address that is none. */
export declare function createClient(options: ClientOptions): Client;

/** A problem of RFC 9457 as the service has sent it; `message` is its `detail`. Where nobody answers, `code` is `unavailable`. */
export declare class OnairProblem extends Error {
  constructor(problem: Schemas['Problem'], options?: { cause?: unknown });
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: Schemas['Problem']['code'];
  readonly request_id: string;
  /** Tells what usually helps. */
  readonly remedy?: string | undefined;
  /** The fields that are wrong. */
  readonly errors?: Schemas['Problem']['errors'];
  /** Facts of this problem, such as `state` or `used_by`. */
  readonly [fact: string]: unknown;
}
