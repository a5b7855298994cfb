/**
 * An assistant that follows a script, but knows no more than a model in its place: what a person says, and what the server tells. It
 * calls only what it was offered, names only operations that it has read of, and gives no id or name that nobody told it.
 */
import assert from 'node:assert/strict';
import { letPass } from '../../helpers/pass.ts';
import { connectAs, type AnyClient, type CallOptions, type Kind, type Way } from '../../mcp/clients.ts';

export interface Answer {
  text: string;
  facts: any;
  isError: boolean;
  /** JPEG, where one was asked for. */
  picture: Buffer | undefined;
}
type Args = Record<string, unknown>;
/** `key`: of idempotency. */
interface Asked extends CallOptions {
  key?: string;
}

export interface Ledger {
  calls: number;
  /** The calls that repeated a question because something took its time. */
  looks: number;
  /** Characters that the model reads, pictures aside, and that it writes. */
  read: number;
  written: number;
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/u;
/** A call that waits for the air waits longer than the SDK would. */
const PATIENCE_MS = 90_000;
const BREATH_MS = 1000;

export class Assistant {
  readonly ledger: Ledger;
  private readonly client: AnyClient;
  private readonly offered = new Set<string>();
  private readonly ids = new Set<number>();
  private messages = '';
  /** Some clients hand a model the texts of an answer alone. */
  private readonly readsTextAlone: boolean;

  private constructor(client: AnyClient, ledger: Ledger, readsTextAlone: boolean) {
    this.client = client;
    this.ledger = ledger;
    this.readsTextAlone = readsTextAlone;
  }

  static async connect(kind: Kind, way: Way, ledger: Ledger, readsTextAlone = false): Promise<Assistant> {
    const self = new Assistant(await connectAs(kind, way), ledger, readsTextAlone);
    const { tools } = await self.client.listTools();
    for (const { name } of tools) self.offered.add(name);
    self.reads(self.client.instructions() ?? assert.fail('no instructions'));
    self.reads(JSON.stringify(tools));
    return self;
  }

  hears(sentence: string): void {
    this.messages += `\n${sentence}`;
  }

  /** Fails unless search_tools offers the operations for these words. */
  async finds(operations: string | readonly string[], query: string, more: Args = {}): Promise<void> {
    const { facts } = await this.uses('search_tools', { query, ...more });
    const names = (facts.tools as { name: string }[]).map(({ name }) => name);
    for (const operation of [operations].flat())
      assert.ok(names.includes(operation), `"${query}" should lead to ${operation}, not ${names.join(', ')}`);
  }

  /** A tool of the list. */
  async uses(name: string, args: Args, { key, ...options }: Asked = {}): Promise<Answer> {
    assert.ok(this.offered.has(name), `${name} is not offered`);
    if (name !== 'search_tools') this.assertTold(args);
    this.ledger.calls += 1;
    this.ledger.written += JSON.stringify({ name, arguments: args }).length;
    const meta = key === undefined ? undefined : { idempotencyKey: key };
    const result = await this.client.callTool(name, args, meta, { timeout: PATIENCE_MS, ...options });
    return this.takes(result);
  }

  /** Any other operation, which it must have read of. */
  async runs(operationId: string, args: Args = {}, more: Args = {}): Promise<Answer> {
    assert.ok(this.messages.includes(operationId), `nobody told of ${operationId}`);
    return this.uses('call_tool', { operationId, arguments: args, ...more });
  }

  /** As a refusal said how. `own` gives what it left open: texts are not repeated there. */
  async corrects({ facts }: Answer, own: Args = {}): Promise<Answer> {
    const { corrected_call: call } = facts;
    assert.ok(call !== undefined, `no corrected call: ${JSON.stringify(facts)}`);
    assert.ok(this.messages.includes(JSON.stringify(call)), 'it can be read');
    const args = filled(call.arguments, own) as Args;
    return call.name === undefined ? this.runs(call.operationId, args) : this.uses(call.name, args);
  }

  /** Asks again, with a breath between, until the answer is as wanted. */
  async waits(ask: () => Promise<Answer>, isIt: (facts: any, answer: Answer) => boolean, most = 120): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask();
      if (isIt(answer.facts, answer)) return answer;
      assert.ok(tries < most, `still not after ${most} looks: ${answer.text}`);
      this.ledger.looks += 1;
      await letPass(BREATH_MS);
    }
  }

  leaves(): Promise<void> {
    return this.client.close();
  }

  private takes(result: any): Answer {
    const blocks = result.content as { type: string; text?: string; data?: string }[];
    const text = blocks.flatMap((block) => block.text ?? []).join('\n');
    const facts = result.structuredContent;
    const json = JSON.stringify(facts);
    const read = this.readsTextAlone || text === json ? text : `${text}\n${json}`;
    this.reads(read);
    for (const id of idsWritten(read)) this.ids.add(id);
    const data = blocks.find(({ type }) => type === 'image')?.data;
    const picture = data === undefined ? undefined : Buffer.from(data, 'base64');
    return { text, facts, isError: result.isError === true, picture };
  }

  private reads(text: string): void {
    this.messages += `\n${text}`;
    this.ledger.read += text.length;
  }

  /** Fields, ids, figures and texts of a call must have been heard or read; instants are worked out from what was said. */
  private assertTold(args: Args): void {
    for (const id of idsIn(args)) assert.ok(this.ids.has(id), `no answer has the id ${id}`);
    for (const field of fieldsOf(args)) assert.ok(this.messages.includes(field), `nobody told of the field ${field}`);
    for (const value of leavesOf(args)) {
      if (typeof value === 'number') assert.ok(this.messages.includes(String(value)), `nobody told of ${value}`);
      if (typeof value !== 'string' || INSTANT.test(value)) continue;
      assert.ok(this.messages.toLowerCase().includes(value.toLowerCase()), `nobody told of "${value}"`);
    }
  }
}

function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldsOf(inner)]);
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

function idsWritten(text: string): number[] {
  return [...text.matchAll(/"(?:id|\w+Id|idEncoderGroup)":(\d+)/gu)].map(([, id]) => Number(id));
}

const IDS = /^id$|Id$|^elements$|^idEncoderGroup$/u;

function idsIn(value: unknown, key = ''): number[] {
  if (typeof value === 'number') return IDS.test(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => idsIn(inner, name));
}

/** `<name>` stands for the caller's own text. */
function filled(value: unknown, own: Args): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, own));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, key in own ? own[key] : filled(inner, own)]),
    );
  const name = typeof value === 'string' ? /^<(\w+)>$/u.exec(value)?.[1] : undefined;
  return name === undefined ? value : assert.fail(`what is ${name}?`);
}
