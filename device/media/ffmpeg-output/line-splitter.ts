/** Cuts text that arrives in pieces into lines. A line without an end is given up at the limit, so a mad writer costs no memory. */
export class LineSplitter {
  private rest = '';
  private readonly onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }

  push(chunk: Buffer | string): void {
    const lines = (this.rest + chunk.toString()).split(/\r?\n|\r/u);
    this.rest = lines.pop()!.slice(-8192);
    for (const line of lines) if (line !== '') this.onLine(line);
  }
}
