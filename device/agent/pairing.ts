/** The control plane that the agent serves over the network: none yet (the agent has one-time credentials), or the one that has the key. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import {
  isKey,
  keySecret,
  newCredentials,
  pairingSecret,
  type Credentials,
  type PairingState,
  type Secret,
} from './psk.ts';
import { readJson, syncFolder, writeJson } from '../atomic-file.ts';

/** A person who mistypes needs two or three tries. */
const FAILURES_ALLOWED = 5;
const PAUSE_MS = 30_000;
/** A flood from many addresses forgets the oldest. */
const MAX_ADDRESSES = 1000;

function pairingFile(deviceDir: string): string {
  return join(deviceDir, 'pairing.json');
}

/** Removes the pairing of a Device whose agent does not run: its next agent has new credentials. */
export async function removePairing(deviceDir: string): Promise<void> {
  await rm(pairingFile(deviceDir), { force: true });
}

/** The content of the pairing file. */
interface PairingRecord {
  key: string;
  /** Servers that the Device dials, where it has joined; without any it waits to be called. */
  addresses?: string[];
  /** The highest token of an owner that has called. */
  owner?: number;
}

export class Pairing {
  private readonly deviceDir: string;
  private readonly clock: Clock;
  private record: PairingRecord | undefined;
  /** Writes of the file, one after the other. */
  private writing: Promise<void> = Promise.resolve();
  private readonly ownerListeners = new Set<() => void>();
  private currentCredentials = newCredentials();
  /** Each address has its own: who guesses keeps nobody else from pairing. */
  private readonly failures = new Map<string, { count: number; pausedUntil: number }>();
  private localWatches = 0;

  constructor(deviceDir: string, clock: Clock) {
    this.deviceDir = deviceDir;
    this.clock = clock;
    this.record = parseRecord(readJson(pairingFile(deviceDir)));
  }

  private get key(): string | undefined {
    return this.record?.key;
  }

  /** Servers to dial; undefined unless the Device has joined. */
  get joined(): { key: string; addresses: readonly string[] } | undefined {
    const { key, addresses } = this.record ?? {};
    return key === undefined || addresses === undefined ? undefined : { key, addresses };
  }

  /** The highest token of an owner that has called; 0 before the first. */
  get owner(): number {
    return this.record?.owner ?? 0;
  }

  get isPaired(): boolean {
    return this.key !== undefined;
  }

  stateFor(address: string): PairingState {
    if (this.key !== undefined) return 'paired';
    return this.clock.now() < (this.failures.get(address)?.pausedUntil ?? 0) ? 'paused' : 'unpaired';
  }

  /** One-time credentials; undefined once paired. */
  get credentials(): Credentials | undefined {
    return this.key === undefined ? this.currentCredentials : undefined;
  }

  /** The secret that a peer with this identity must prove to know; undefined when the identity is unknown, or its address is paused. */
  secretOf(identity: string, address: string): (Secret & { isOneTime: boolean }) | undefined {
    if (this.key !== undefined) {
      const secret = keySecret(this.key);
      return secret.identity === identity ? { ...secret, isOneTime: false } : undefined;
    }
    if (this.stateFor(address) === 'paused') return undefined;
    const secret = pairingSecret(this.currentCredentials);
    return secret.identity === identity ? { ...secret, isOneTime: true } : undefined;
  }

  /** Counts a failed handshake with the one-time credentials, or with guesses at them. */
  noteFailure(address: string): void {
    const count = (this.failures.get(address)?.count ?? 0) + 1;
    const isOver = count >= FAILURES_ALLOWED;
    this.failures.delete(address);
    this.failures.set(address, { count: isOver ? 0 : count, pausedUntil: isOver ? this.clock.now() + PAUSE_MS : 0 });
    if (this.failures.size > MAX_ADDRESSES) this.failures.delete(this.failures.keys().next().value ?? '');
  }

  /** Two control planes would end each other's runs. Throws AppError conflict while the control plane of another machine has the agent. */
  assertLocal(): void {
    if (this.key === undefined) return;
    throw new AppError(
      'conflict',
      'This Device is paired with a server on another machine. Run `onair device unpair`, or use another Device folder.',
    );
  }

  /** The server of this machine follows the agent from here on, until the returned function is called. */
  watchLocally(): () => void {
    this.assertLocal();
    this.localWatches += 1;
    return () => void (this.localWatches -= 1);
  }

  /**
   * Resolves when the key is on the disk; the one-time credentials are void from then on. Rejects with AppError invalid_input, conflict or
   * unavailable.
   */
  async accept(key: unknown, addresses?: readonly string[]): Promise<void> {
    if (!isKey(key)) throw new AppError('invalid_input', 'key must be 256 bits in base64url.');
    if (this.key !== undefined) throw new AppError('conflict', 'The agent is paired already.');
    if (this.localWatches > 0) {
      const remedy = 'Start another agent there with a folder of its own: `onair device --dir <folder> --listen …`.';
      throw new AppError('conflict', `The agent serves the server of its own machine. ${remedy}`);
    }
    // From here on a second call is refused, also while the file is being written.
    this.record = { key, ...(addresses !== undefined && { addresses: [...addresses] }) };
    try {
      await this.write(this.record);
    } catch (error) {
      this.record = undefined;
      throw error;
    }
    this.failures.clear();
  }

  /** Other servers to dial from the next time on. Rejects with AppError unavailable. */
  async setAddresses(addresses: readonly string[]): Promise<void> {
    if (this.record === undefined || this.record.addresses?.join() === addresses.join()) return;
    this.record = { ...this.record, addresses: [...addresses] };
    await this.write(this.record);
  }

  /**
   * Resolves when the token of an owner is the highest ever and on the disk. Rejects with AppError stale_owner for a lower one, and
   * unavailable when the disk refuses.
   */
  async obey(token: number): Promise<void> {
    const highest = this.owner;
    if (token === highest) return;
    if (token < highest)
      throw new AppError('stale_owner', 'Another server has taken this Device over, and it obeys no earlier one.', {
        facts: { owner: highest },
      });
    await this.raise(token);
    // A higher one may have come while this one was being written.
    await this.obey(token);
  }

  /** Calls back when a server with a higher token has taken over; the answer ends that. */
  onNewOwner(listener: () => void): () => void {
    this.ownerListeners.add(listener);
    return () => void this.ownerListeners.delete(listener);
  }

  private async raise(token: number): Promise<void> {
    const raised = this.writing.then(async () => {
      const { record } = this;
      if (record === undefined) throw new AppError('unavailable', 'The Device is not paired any more.');
      if (token <= (record.owner ?? 0)) return;
      await this.writeRecord({ ...record, owner: token });
      this.record = { ...record, owner: token };
      for (const listener of [...this.ownerListeners]) listener();
    });
    this.writing = raised.catch(() => undefined);
    await raised;
  }

  private async write(record: PairingRecord): Promise<void> {
    const written = this.writing.then(() => this.writeRecord(record));
    this.writing = written.catch(() => undefined);
    await written;
  }

  private async writeRecord(record: PairingRecord): Promise<void> {
    try {
      await writeJson(pairingFile(this.deviceDir), record);
      // A machine that has lost what it was told last would be taken for a copy of itself.
      await syncFolder(this.deviceDir);
    } catch (error) {
      throw new AppError('unavailable', 'The Device cannot write to its directory; see its log.', { cause: error });
    }
  }

  /** Resolves with the new one-time credentials. */
  async forget(): Promise<Credentials> {
    const removed = this.writing.then(() => removePairing(this.deviceDir));
    this.writing = removed.catch(() => undefined);
    await removed;
    this.record = undefined;
    this.failures.clear();
    this.currentCredentials = newCredentials();
    return this.currentCredentials;
  }
}

function parseRecord(value: unknown): PairingRecord | undefined {
  const { key, addresses, owner } = (value ?? {}) as Partial<Record<keyof PairingRecord, unknown>>;
  if (!isKey(key)) return undefined;
  const isList = Array.isArray(addresses) && addresses.every((address) => typeof address === 'string');
  return {
    key,
    ...(isList && { addresses: addresses as string[] }),
    ...(Number.isSafeInteger(owner) && { owner: owner as number }),
  };
}
