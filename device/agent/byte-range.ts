/**
 * One byte range of RFC 9110 §14.1.2 over `size` bytes: first and last byte, both included. Undefined when the whole is to be sent:
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
