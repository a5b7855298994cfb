/** Finds the id of a request in the two kept ends of a line that is too long. */
import type { RequestId } from '../rpc.ts';

const ID = '"id"\\s*:\\s*(-?\\d{1,15}|"(?:[^"\\\\]|\\\\.){0,200}")';
const TEXT = '"(?:[^"\\\\]|\\\\.)*"';
/** The id behind members whose values are texts: clients send only jsonrpc and method before it. */
const AT_THE_BEGINNING = new RegExp(`^\\s*\\{\\s*(?:${TEXT}\\s*:\\s*${TEXT}\\s*,\\s*)*${ID}\\s*,`, 'u');
/** The id before the brace that closes the message. A line that ends otherwise closes another object last. */
const AT_THE_END = new RegExp(`[,{]\\s*${ID}\\s*\\}\\s*$`, 'u');

/** The id; undefined where it stands elsewhere, or where there is none. */
export function idOfLongLine(begin: string, end: string): RequestId | undefined {
  const text = AT_THE_BEGINNING.exec(begin)?.[1] ?? AT_THE_END.exec(end)?.[1];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as RequestId;
  } catch {
    // The patterns are looser than the parser: they also match 007 and escapes that JSON does not have.
    return undefined;
  }
}
