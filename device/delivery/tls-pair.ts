/** The certificate and the key that a port speaks TLS with. Files that are renewed are taken without a restart. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';

/** Paths of PEM files: the certificate, which the certificates of its authorities may follow, and its private key. */
export interface TlsFiles {
  certificate: string;
  key: string;
}

export interface Pair {
  cert: string;
  key: string;
  /** The first certificate of the file, which is that of the server. */
  leaf: X509Certificate;
}

export interface TlsPairOptions {
  files: TlsFiles;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** A renewal is in force within 60 s, and a read of two small files costs nothing. */
const LOOK_MS = 5000;

/** Reads the files. Throws AppError invalid_input when one cannot be read, or they do not fit. */
export function readPair(files: TlsFiles): Pair {
  const cert = readText(files.certificate, 'certificate', 'ONAIR_TLS_CERT');
  const key = readText(files.key, 'key', 'ONAIR_TLS_KEY');
  let leaf: X509Certificate;
  let own: KeyObject;
  try {
    leaf = new X509Certificate(cert);
  } catch (cause) {
    throw refusal(`${files.certificate} has no certificate in PEM that can be read`, 'ONAIR_TLS_CERT', cause);
  }
  try {
    own = createPrivateKey(key);
  } catch (cause) {
    throw refusal(
      `${files.key} has no private key in PEM that can be read without a passphrase`,
      'ONAIR_TLS_KEY',
      cause,
    );
  }
  if (!leaf.checkPrivateKey(own))
    throw refusal(`the key in ${files.key} does not fit the certificate in ${files.certificate}`, 'ONAIR_TLS_KEY');
  return { cert, key, leaf };
}

function readText(path: string, what: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refusal(`the ${what} ${path} cannot be read (${(cause as Error).message})`, setting, cause);
  }
}

function refusal(finding: string, setting: string, cause?: unknown): AppError {
  return new AppError('invalid_input', `TLS cannot be spoken: ${finding}.`, {
    errors: [{ field: setting, code: 'invalid', message: finding }],
    remedy: 'Name a certificate and its key in ONAIR_TLS_CERT and ONAIR_TLS_KEY, or unset both.',
    ...(cause !== undefined && { cause }),
  });
}

export class TlsPair {
  private readonly options: TlsPairOptions;
  private readonly takers: ((pair: Pair) => void)[] = [];
  private pair: Pair | undefined;
  private refused = '';
  private cancel: () => void = () => undefined;

  private constructor(options: TlsPairOptions, pair: Pair | undefined) {
    this.options = options;
    this.pair = pair;
    if (pair === undefined) this.take();
    else this.warnOfEnd(pair);
    this.lookAgain();
  }

  /** Throws AppError invalid_input for files that cannot be read or do not fit. */
  static open(options: TlsPairOptions): TlsPair {
    return new TlsPair(options, readPair(options.files));
  }

  /** Files that do not fit yet are waited for: until then nobody can connect. It is for a process that does more than to answer its port. */
  static openLate(options: TlsPairOptions): TlsPair {
    return new TlsPair(options, undefined);
  }

  get files(): TlsFiles {
    return this.options.files;
  }

  get current(): Pair | undefined {
    return this.pair;
  }

  /** `take` is called with the pair in force, and with each later one. */
  onPair(take: (pair: Pair) => void): void {
    this.takers.push(take);
    if (this.pair !== undefined) take(this.pair);
  }

  close(): void {
    this.cancel();
  }

  private look(): void {
    this.take();
    this.lookAgain();
  }

  private lookAgain(): void {
    this.cancel = this.options.clock.after(LOOK_MS, () => this.look());
  }

  private take(): void {
    const { files, log } = this.options;
    try {
      const fresh = readPair(files);
      this.refused = '';
      if (fresh.cert === this.pair?.cert && fresh.key === this.pair.key) return;
      this.pair = fresh;
      for (const take of this.takers) take(fresh);
      log.info({ certificate: files.certificate, until: fresh.leaf.validTo }, 'The certificate is in force.');
      this.warnOfEnd(fresh);
    } catch (error) {
      // Certificate and key are written one after the other, so the next look may find them fit.
      const { message } = error as Error;
      if (message === this.refused) return;
      this.refused = message;
      const until = this.pair?.leaf.validTo;
      if (until === undefined)
        log.error({ err: error }, 'There is no certificate to speak TLS with; nobody can connect.');
      else log.warn({ err: error, until }, 'The renewed certificate is not taken; the former one stays in force.');
    }
  }

  private warnOfEnd({ leaf }: Pair): void {
    const { clock, log, files } = this.options;
    if (Date.parse(leaf.validTo) < clock.now())
      log.warn(
        { certificate: files.certificate, until: leaf.validTo },
        'The certificate has expired; clients refuse it.',
      );
  }
}

/** The host of an address: `host` where the certificate is for it, else the first name of the certificate, else `host`. */
export function certifiedHost(host: string, leaf: X509Certificate | undefined): string {
  const bare = host.replace(/^\[|\]$/gu, '');
  if (leaf === undefined) return host;
  if ((isIP(bare) === 0 ? leaf.checkHost(bare) : leaf.checkIP(bare)) !== undefined) return host;
  return /(?:^|, )DNS:([\w.-]+)(?:,|$)/u.exec(leaf.subjectAltName ?? '')?.[1] ?? host;
}
