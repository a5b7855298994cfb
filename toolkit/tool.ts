/** The shape of a tool: data first, a short handler last. A tool knows nothing of MCP, HTTP or a terminal. */
import type { z } from 'zod/v3';
import type { Clock } from '../domain/time/clock.ts';
import type { Caller } from '../domain/shapes/installation/security.ts';
import type { Store, Tx, View } from '../domain/ports/store.ts';
import type { Control } from '../domain/ports/control.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import type { Ahead } from '../domain/shapes/changes/live-change.ts';
import type { Log } from '../domain/base/log.ts';
import type { System } from '../domain/shapes/installation/system.ts';

export type Effect = 'read' | 'create' | 'update' | 'delete' | 'control';
export type Access = 'operator' | 'admin';

export interface Reads extends Pick<Store, 'get' | 'getMany' | 'find' | 'members'> {
  /** Shows one consistent state, for rules that take a View. */
  view<T>(look: (view: View) => T): Promise<T>;
}

/** Everything that a handler gets, in at most ten members. */
export interface ToolContext {
  readonly caller: Caller;
  /** Only for reads: writes go through `commit`. */
  readonly store: Reads;
  /**
   * The write of this call: one durable unit with its audit entry and its idempotency record. The plan's answer is the call's answer,
   * so that a crash after it cannot lose either. At most one commit a call.
   */
  readonly commit: Commit;
  readonly control: Control;
  /** Other services: folders, key servers, the cloud platform, transcription. */
  readonly integrations: Integrations;
  /** The installation itself: licence files, the support bundle. */
  readonly system: System;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly request: CallRequest;
}

/** The parts of a call beside its arguments. */
export interface CallRequest {
  /** The name of the tool that is called. */
  readonly operation: string;
  /** The arguments as they came, before defaults were filled in; they have passed the input's schema. */
  readonly sent: unknown;
  /** File content (multipart over REST). */
  readonly upload: Upload | undefined;
  /** The caller's If-Match: a write expects one of these versions; undefined: any version. */
  readonly expectedVersions: readonly number[] | undefined;
  /** The same for each retry of the call under its Idempotency-Key, so that the encoder does no change twice. */
  readonly changeId: string | undefined;
  /** Present for a change on air that is requested before its time. */
  readonly ahead: Ahead | undefined;
  /** A tool that does what other operations do asks here before its first step. */
  readonly rights: CallRights;
  /** Reports to a waiting client how far a long call is. */
  readonly progress: (done: number, total: number, message: string) => void;
}

export interface CallRights {
  /** Throws forbidden or profile_forbidden unless the caller may call each of them, and unknown_operation for a name that none has. */
  assertMayCall(...operations: readonly string[]): void;
  /** The operations that a workflow performs; of an operation itself. Throws unknown_operation. */
  operationsOf(name: string): readonly string[];
}

export interface Upload {
  filename: string;
  content: ReadableStream<Uint8Array>;
  /** SHA-256 of the content, base64url. Present where the call has a key: the same key with another file is another call. */
  digest?: string | undefined;
}

/** `now` is the ISO instant of the call. */
export type Commit = <T>(plan: (tx: Tx, now: string) => Answer<T>) => Promise<Answer<T>>;

/**
 * Every answer of an operation is an envelope: `{data}` for one resource, `{rows, pagination}` for a list.
 * `version` becomes the ETag; `status` the HTTP status where it differs from the one that follows from the effect.
 */
export interface Answer<T> {
  body: T;
  version?: number;
  status?: number;
  /** Names that people gave, which stand in the body's message: a voice keeps them whole. They are neither sent nor stored. */
  names?: readonly string[];
  /**
   * True: the outcome is still to come, so a retry under the same Idempotency-Key is not answered with this. The handler finds by `changeId`
   * what the first call has made, and waits for it.
   */
  pending?: boolean;
  /** Content that an api which can stream files (REST) sends in place of the body; `version`, if present, is its ETag too. */
  file?: FileAnswer;
}

export type FileAnswer = StoredFile | MadeFile;

/** A small file that is made for this answer: a picture, which a model sees beside the body, or a document. */
export interface MadeFile {
  content: Uint8Array;
  contentType: string;
  /** Content-Security-Policy of a page of ours; left out: nothing of it is run or loaded. */
  policy?: string;
}

export interface StoredFile {
  path: string;
  contentType: string;
  /** The name under which a client saves it; left out: the name in the address. */
  filename?: string;
  /** True: it is made for this answer alone and removed once it is open, so that it is gone however the transfer ends. */
  temporary?: boolean;
}

type AnyObject = z.ZodObject<z.ZodRawShape, 'strict'>;

export interface ToolDefinition<I extends AnyObject = AnyObject, O extends z.ZodTypeAny = z.ZodTypeAny> {
  /** operationId, or the workflow's name; the file has the same name. */
  readonly name: string;
  /** One imperative sentence, ≤ 120 characters. */
  readonly summary: string;
  /** When to use it and when not, ≤ 600 characters. */
  readonly description: string;
  readonly tag: string;
  /** The words that people use for it. */
  readonly aliases: readonly string[];
  /** `METHOD /path/{param}` under the prefix; left out: it is a workflow, whose route follows from its name. */
  readonly rest?: string;
  readonly access: Access;
  readonly effect: Effect;
  /** The operations of a workflow: a token that is limited to operations needs all of them. Left out: it is an operation itself. */
  readonly performs?: readonly string[];
  /** True: the answer shows a secret once, and its stored replay is sealed. */
  readonly secretAnswer?: boolean;
  /**
   * Whether a call takes access from somebody: it is answered once every server that shares the store refuses whoever lost it. Left out: none
   * does.
   */
  readonly endsAccess?: (input: z.infer<I>) => boolean;
  /** One flat strict object: the union of path, query and body fields. */
  readonly input: I;
  /** Shape of the answer's body. The body is checked, so that an undeclared field cannot leak. */
  readonly output: O;
  /** Fields of a list over MCP, unless the call names others. */
  readonly shortFields?: readonly string[];
  readonly handle: (ctx: ToolContext, input: z.infer<I>) => Promise<Answer<z.infer<O>>>;
}

/** A tool whose input and output types are no longer known, as dispatch and the apis handle it. */
export type Tool = Omit<ToolDefinition, 'handle' | 'endsAccess'> & {
  readonly endsAccess?: (input: never) => boolean;
  readonly handle: (ctx: ToolContext, input: never) => Promise<Answer<unknown>>;
};

export function defineTool<I extends AnyObject, O extends z.ZodTypeAny>(definition: ToolDefinition<I, O>): Tool {
  return definition as unknown as Tool;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path template with `{param}`s. */
  path: string;
  params: string[];
}

export function isWorkflow(tool: Pick<Tool, 'rest'>): boolean {
  return tool.rest === undefined;
}

/** `METHOD /path/{param}` under the prefix. A workflow takes all of its arguments in the body, also where it only reads. */
export function restOf(tool: Pick<Tool, 'rest' | 'name'>): string {
  return tool.rest ?? `POST /workflows/${tool.name}`;
}

export function routeOf(tool: Pick<Tool, 'rest' | 'name'>): Route {
  const [method, path] = restOf(tool).split(' ') as [Route['method'], string];
  return { method, path, params: [...path.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? '') };
}

/** Whether the answer is a page of rows. */
export function isList({ output }: Pick<Tool, 'output'>): boolean {
  return 'rows' in ((output as { shape?: object }).shape ?? {});
}

/** Success status that follows from the effect; an answer may state another (a start is 202). */
export function successStatus(effect: Effect): number {
  return effect === 'create' ? 201 : 200;
}
