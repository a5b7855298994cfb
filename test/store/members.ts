/** Members of a shared store in processes of their own, and what they have said. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import type { MemberSaid } from './fixtures/member.ts';
import { findingsIn, type Operation } from './list-history.ts';
import { listsIn } from './lists.ts';
import { Program } from './program.ts';
import { until } from '../helpers/until.ts';

export class Members {
  readonly operations: Operation[] = [];
  readonly problems: string[] = [];
  private readonly t: TestContext;
  private readonly url: string;
  private readonly running = new Map<string, { program: Program<MemberSaid>; heard: Promise<void> }>();

  constructor(t: TestContext, url: string) {
    this.t = t;
    this.url = url;
  }

  /** Resolves when it has opened the store. */
  async start(name: string, hands = 4, pauseMs = 0): Promise<void> {
    const program = new Program<MemberSaid>(this.t, 'member', [this.url, name, String(hands), String(pauseMs)]);
    const first = await program.expect();
    assert.ok('opened' in first, JSON.stringify(first));
    this.running.set(name, { program, heard: this.hear(program) });
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.of(name).program.signal(signal);
  }

  /** It ends at once; what it had begun may have been done. */
  async kill(name: string): Promise<void> {
    const { program, heard } = this.of(name);
    this.running.delete(name);
    await program.kill();
    await heard;
  }

  /** The exit code of a member that ends by itself. */
  async ended(name: string): Promise<number | null> {
    const { program, heard } = this.of(name);
    this.running.delete(name);
    await heard;
    return program.ended();
  }

  async end(): Promise<void> {
    for (const { program } of this.running.values()) program.tell('end');
    for (const { program, heard } of this.running.values()) {
      await heard;
      assert.equal(await program.ended(), 0, program.errors);
    }
    this.running.clear();
  }

  get acknowledged(): number {
    return this.operations.filter(({ element, list }) => element !== undefined && list !== undefined).length;
  }

  /** Resolves when each of the members named has had this many more writes acknowledged. */
  async goOn(count: number, names: readonly string[] = [...this.running.keys()]): Promise<void> {
    const from = this.operations.length;
    await until(`${names.join(', ')} go on`, () =>
      names.every((name) => {
        const since = this.operations.slice(from);
        return (
          since.filter(({ member, element, list }) => member === name && element !== undefined && list).length >= count
        );
      }),
    );
  }

  longestMs(): number {
    return this.operations.reduce((most, { begin, end = begin }) => Math.max(most, end - begin), 0);
  }

  /** Compares all that they said with the lists of a store that was opened afterwards. */
  async check(store: Store): Promise<void> {
    assert.deepEqual(this.problems, []);
    const findings = findingsIn(this.operations, await listsIn(store));
    assert.deepEqual(findings.slice(0, 5), [], `${findings.length} findings`);
  }

  private async hear(program: Program<MemberSaid>): Promise<void> {
    const begun = new Map<number, Operation>();
    for (let message = await program.next(); message !== undefined; message = await program.next()) {
      if ('problem' in message) this.problems.push(message.problem);
      else if ('began' in message) begun.set(message.began.number, message.began);
      else if ('ended' in message) {
        const { number, end, list } = message.ended;
        const operation = begun.get(number)!;
        begun.delete(number);
        // A write that was refused may have been done.
        this.operations.push(list === undefined ? withoutEnd(operation) : { ...operation, end, list });
      }
    }
    this.operations.push(...begun.values());
  }

  private of(name: string): { program: Program<MemberSaid>; heard: Promise<void> } {
    return this.running.get(name)!;
  }
}

function withoutEnd({ member, key, begin, element }: Operation): Operation {
  return { member, key, begin, ...(element !== undefined && { element }) };
}
