/** The conditions and ranges of a request for a file (RFC 9110 §13, §14), read in one way for all that answer files. */

export interface FileVersion {
  size: number;
  /** A strong ETag with its quotation marks. */
  etag: string;
  changedAt: Date;
}

/** Reads a field of the request by its name in small letters; undefined or null when it was not sent. */
export type HeaderReader = (name: string) => string | null | undefined;

/**
 * True when the answer is 304: If-None-Match, compared weakly, comes before If-Modified-Since (§13.1.2, §13.1.3). `settled` means that the
 * content never changes once it is there. HTTP dates have whole seconds: content that may change twice within one counts as unchanged only
 * when its date is before the given one.
 */
export function isUnchanged(header: HeaderReader, { etag, changedAt }: FileVersion, settled: boolean): boolean {
  const match = header('if-none-match');
  if (match != null) return namesEtag(match, etag);
  const since = Date.parse(header('if-modified-since') ?? '');
  if (Number.isNaN(since)) return false;
  const changed = Math.floor(changedAt.getTime() / 1000) * 1000;
  return settled ? changed <= since : changed < since;
}

/** True when an If-None-Match means this version (§13.1.2). */
export function namesEtag(match: string, etag: string): boolean {
  return match.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//u, '') === etag);
}

/** The range to send; a range of another version of the file is none (§13.1.5). */
export function rangeOf(header: HeaderReader, version: FileVersion): [number, number] | 'unsatisfiable' | undefined {
  const condition = header('if-range');
  const validators = [version.etag, version.changedAt.toUTCString()];
  if (condition != null && !validators.includes(condition)) return undefined;
  return parseRange(header('range') ?? undefined, version.size);
}

/**
 * Parses one byte range of §14.1.2 over `size` bytes into its first and last byte, both included. Undefined when the whole is to be sent:
 * no header, another unit, a malformed one, or several ranges (a server may ignore those; no player asks for them).
 */
export function parseRange(header: string | undefined, size: number): [number, number] | 'unsatisfiable' | undefined {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/u.exec(header ?? '');
  if (match === null) return undefined;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const suffix = Number(to);
    return suffix === 0 || size === 0 ? 'unsatisfiable' : [Math.max(0, size - suffix), size - 1];
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  if (first >= size) return 'unsatisfiable';
  return [first, to === '' ? size - 1 : Math.min(Number(to), size - 1)];
}
