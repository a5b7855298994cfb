/** The id of a request whose line is too long to be kept, from the two ends of it that were kept. */
import type { RequestId } from '../rpc.ts';

const ID = '"id"\\s*:\\s*(-?\\d{1,15}|"(?:[^"\\\\]|\\\\.){0,200}")';
const TEXT = '"(?:[^"\\\\]|\\\\.)*"';
/** Behind members whose values are texts: as jsonrpc and method, which alone are sent before it. */
const AT_THE_BEGINNING = new RegExp(`^\\s*\\{\\s*(?:${TEXT}\\s*:\\s*${TEXT}\\s*,\\s*)*${ID}\\s*,`, 'u');
/** Before the brace that closes the message. A line that ends otherwise closes another object last. */
const AT_THE_END = new RegExp(`[,{]\\s*${ID}\\s*\\}\\s*$`, 'u');

/** undefined: it stands elsewhere, or there is none. */
export function idOfLongLine(begin: string, end: string): RequestId | undefined {
  const found = AT_THE_BEGINNING.exec(begin)?.[1] ?? AT_THE_END.exec(end)?.[1];
  if (found === undefined) return undefined;
  try {
    return JSON.parse(found) as RequestId;
  } catch {
    // 007, or an escape that JSON does not have: the patterns look less closely than the parser.
    return undefined;
  }
}
