/** The form of a conversation, and the place that it is held in. */
import type { Kind } from '../../mcp/clients.ts';
import type { Assistant } from './assistant.ts';
import type { PreparedService } from './prepared-service.ts';

export interface Conversation {
  title: string;
  /** The number of calls that a good assistant needs; more says that something was hard to find or to understand. */
  calls: number;
  run(scene: Scene): Promise<void>;
}

export interface Scene {
  prepared: PreparedService;
  /** A new assistant, which knows nothing yet. */
  connect(kind: Kind, by: Api): Promise<Assistant>;
  /** For the reader of the test's output. */
  note(text: string): void;
}

export interface Api {
  over: 'stdio' | 'http';
  profile?: string;
  /** The client hands on no structured content. */
  textAlone?: boolean;
  /** The URL of a roundabout way, as through a proxy. */
  url?: string;
}
