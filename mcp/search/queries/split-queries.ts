/** Example queries are written as one text, with semicolons or line ends between them. */
export function splitQueries(text: string): string[] {
  return text
    .split(/[;\n]/u)
    .map((query) => query.trim())
    .filter((query) => query !== '');
}
