/** Tells when FLV goes on with other codecs or configurations. */
import { isConfiguration, type FlvMessage } from './flv-bodies.ts';

const [AUDIO, VIDEO] = [8, 9];
const VIDEO_COMMAND = 5;
export class FlvChanges {
  /** Keys are message types. */
  private readonly codecs = new Map<number, string>();
  private readonly configurations = new Map<number, Buffer>();

  /** Tells of sound or a picture that is the first, or has changed. A configuration that is sent again is no change. */
  note(message: FlvMessage): 'first' | 'changed' | undefined {
    const { type, body } = message;
    if ((type !== AUDIO && type !== VIDEO) || body.length === 0 || isCommand(message)) return undefined;
    const [codec, former] = [codecOf(message), this.codecs.get(type)];
    this.codecs.set(type, codec);
    const isOther = former !== undefined && former !== codec;
    if (isOther) this.configurations.delete(type);
    const known = this.configurations.get(type);
    const isOtherForm = isConfiguration(message) && known?.equals(body) === false;
    if (isConfiguration(message)) this.configurations.set(type, Buffer.from(body));
    if (former === undefined) return 'first';
    return isOther || isOtherForm ? 'changed' : undefined;
  }

  has(type: number): boolean {
    return this.codecs.has(type);
  }
}

function isCommand({ type, body }: FlvMessage): boolean {
  return type === VIDEO && body[0]! >> 4 === VIDEO_COMMAND;
}

function codecOf({ type, body }: FlvMessage): string {
  return String(type === AUDIO ? body[0]! >> 4 : body[0]! & 15);
}
