/** With a full stop, whether it had one or not. */
export function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}
