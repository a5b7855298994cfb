/** All that comes on stdin. Once stdin was asked whether it is a terminal, its descriptor no longer waits, and must not be read itself. */
export async function stdinText(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += chunk as string;
  return text;
}
