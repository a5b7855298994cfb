/** The shape of a topic that no operation serves. */
export interface AbsentTopic {
  /** The topic in words for people. */
  about: string;
  /** A part of a sentence: where it is done instead. */
  instead?: string;
  nearest: readonly string[];
  requests: readonly string[];
}

export type TopicText = Omit<AbsentTopic, 'requests'> & { requests: string };
