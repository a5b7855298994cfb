/** The control plane that the agent serves over the network: none yet (the agent has one-time credentials), or the one that has the key. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import {
  isKey,
  keySecret,
  newCredentials,
  pairingSecret,
  type Credentials,
  type PairingState,
  type Secret,
} from './psk.ts';
import { readJson, writeJson } from '../atomic-file.ts';

/** A person who mistypes needs two or three tries. */
const FAILURES_ALLOWED = 5;
const PAUSE_MS = 30_000;

function pairingFile(deviceDir: string): string {
  return join(deviceDir, 'pairing.json');
}

/** Removes the pairing of a Device whose agent does not run: its next agent has new credentials. */
export async function removePairing(deviceDir: string): Promise<void> {
  await rm(pairingFile(deviceDir), { force: true });
}

export class Pairing {
  private readonly deviceDir: string;
  private readonly clock: Clock;
  private key: string | undefined;
  private currentCredentials = newCredentials();
  private failures = 0;
  private pausedUntil = 0;
  private localWatches = 0;

  constructor(deviceDir: string, clock: Clock) {
    this.deviceDir = deviceDir;
    this.clock = clock;
    const record = readJson(pairingFile(deviceDir)) as { key?: unknown } | undefined;
    if (isKey(record?.key)) this.key = record.key;
  }

  get state(): PairingState {
    if (this.key !== undefined) return 'paired';
    return this.clock.now() < this.pausedUntil ? 'paused' : 'unpaired';
  }

  /** One-time credentials; undefined once paired. */
  get credentials(): Credentials | undefined {
    return this.key === undefined ? this.currentCredentials : undefined;
  }

  /** The secret that a peer with this identity must prove to know; undefined when the identity is unknown. */
  secretOf(identity: string): (Secret & { isOneTime: boolean }) | undefined {
    if (this.key !== undefined) {
      const secret = keySecret(this.key);
      return secret.identity === identity ? { ...secret, isOneTime: false } : undefined;
    }
    if (this.state === 'paused') return undefined;
    const secret = pairingSecret(this.currentCredentials);
    return secret.identity === identity ? { ...secret, isOneTime: true } : undefined;
  }

  /** Counts a failed handshake with the one-time credentials, or with guesses at them. */
  noteFailure(): void {
    this.failures += 1;
    if (this.failures < FAILURES_ALLOWED) return;
    this.failures = 0;
    this.pausedUntil = this.clock.now() + PAUSE_MS;
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
  async accept(key: unknown): Promise<void> {
    if (!isKey(key)) throw new AppError('invalid_input', 'key must be 256 bits in base64url.');
    if (this.key !== undefined) throw new AppError('conflict', 'The agent is paired already.');
    if (this.localWatches > 0) {
      const remedy = 'Start another agent there with a folder of its own: `onair device --dir <folder> --listen …`.';
      throw new AppError('conflict', `The agent serves the server of its own machine. ${remedy}`);
    }
    this.key = key;
    try {
      await writeJson(pairingFile(this.deviceDir), { key });
    } catch (error) {
      this.key = undefined;
      throw new AppError('unavailable', 'The Device cannot write to its directory; see its log.', { cause: error });
    }
    this.failures = 0;
  }

  /** Resolves with the new one-time credentials. */
  async forget(): Promise<Credentials> {
    await removePairing(this.deviceDir);
    this.key = undefined;
    this.pausedUntil = 0;
    this.currentCredentials = newCredentials();
    return this.currentCredentials;
  }
}
