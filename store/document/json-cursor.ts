/**
 * Reads a JSON text (RFC 8259) that is larger than memory, value by value: the caller steps into objects and lists, and takes inner values
 * whole.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A number or a literal ends before or at these characters: , : ] } and white space. */
const ENDS = new Set([0x2c, 0x3a, 0x5d, 0x7d, 0x20, 0x09, 0x0a, 0x0d]);
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const NOT_SPACE = /[^ \t\n\r]/gu;

export class JsonCursor {
  private readonly pieces: AsyncIterator<string> | Iterator<string>;
  private text = '';
  private at = 0;

  constructor(pieces: AsyncIterable<string> | Iterable<string>) {
    this.pieces = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  }

  /** The names of an object; the value of each must be taken before the next. Throws SyntaxError. */
  async *names(): AsyncGenerator<string> {
    await this.expect('{');
    if (await this.skips('}')) return;
    do {
      const name = await this.value();
      if (typeof name !== 'string') throw new SyntaxError('A name of an object is no string.');
      await this.expect(':');
      yield name;
    } while (await this.skips(','));
    await this.expect('}');
  }

  /** The values of a list. */
  async *items(): AsyncGenerator {
    await this.expect('[');
    if (await this.skips(']')) return;
    do yield await this.value();
    while (await this.skips(','));
    await this.expect(']');
  }

  async isList(): Promise<boolean> {
    return (await this.peek()) === '[';
  }

  async isObject(): Promise<boolean> {
    return (await this.peek()) === '{';
  }

  /** The whole value that is next. */
  async value(): Promise<unknown> {
    await this.peek();
    let end = this.at;
    let depth = 0;
    let isString = false;
    for (;;) {
      if (end >= this.text.length) {
        const length = end - this.at;
        if (!(await this.reads())) break;
        end = this.at + length;
        continue;
      }
      const code = this.text.charCodeAt(end);
      if (isString) {
        // An escaped character may be in the next piece.
        end += code === BACKSLASH ? 2 : 1;
        if (code !== QUOTE) continue;
        isString = false;
        if (depth === 0) break;
      } else if (depth === 0 && ENDS.has(code)) break;
      else {
        end += 1;
        isString = code === QUOTE;
        if (OPENING.has(code)) depth += 1;
        else if (CLOSING.has(code) && (depth -= 1) === 0) break;
      }
    }
    const text = this.text.slice(this.at, end);
    this.at = end;
    return JSON.parse(text);
  }

  /** Throws SyntaxError when something follows the value. */
  async end(): Promise<void> {
    const next = await this.peek();
    if (next !== '') throw new SyntaxError(`${JSON.stringify(next)} stands behind its end.`);
  }

  /** Closes the source of the pieces. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async expect(character: string): Promise<void> {
    if (await this.skips(character)) return;
    const next = await this.peek();
    throw new SyntaxError(`${next === '' ? 'It ends' : `${JSON.stringify(next)} stands`} where "${character}" is due.`);
  }

  private async skips(character: string): Promise<boolean> {
    if ((await this.peek()) !== character) return false;
    this.at += 1;
    return true;
  }

  /** The next character that is no white space; an empty text at the end. */
  private async peek(): Promise<string> {
    for (;;) {
      NOT_SPACE.lastIndex = this.at;
      const found = NOT_SPACE.exec(this.text);
      this.at = found?.index ?? this.text.length;
      if (found !== null) return found[0];
      if (!(await this.reads())) return '';
    }
  }

  private async reads(): Promise<boolean> {
    const { done, value } = await this.pieces.next();
    if (done === true) return false;
    this.text = this.text.slice(this.at) + value;
    this.at = 0;
    return true;
  }
}
