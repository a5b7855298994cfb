/** The target of a search: a function from the bytes that a stranger sends to what must hold whatever they are. */

export interface FuzzTarget {
  /** Throws for a finding: a refusal that the parser declares is caught inside, by `refusing`. */
  run(bytes: Buffer): void | Promise<void>;
  /** Whole inputs of the format, from our own encoders: mutations begin with them and with the files of the corpus. */
  seeds: readonly Buffer[];
}

/** Longest input: about what one read of a socket brings. */
export const MAX_BYTES = 65_536;

type ErrorClass = abstract new (...args: never[]) => Error;

/** The result, or undefined where the parser refused with an error that it declares. */
export function refusing<T>(declared: readonly ErrorClass[], parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (declared.some((one) => error instanceof one)) return undefined;
    throw error;
  }
}

/** The bytes in pieces, as a stream brings them; `rule` chooses how long the pieces are. */
export function pieces(bytes: Buffer, rule: number): Buffer[] {
  const step = [bytes.length, 1, 7, 188, 1448][rule % 5]!;
  // Single bytes of a long input are cut differently only in its beginning.
  const size = Math.max(step, Math.ceil(bytes.length / 512), 1);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(Buffer.from(bytes.subarray(at, at + size)));
  return parts;
}
