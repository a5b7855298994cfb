/**
 * Topics that people ask for and no operation serves, each with the reads that are nearest in purpose and the way that exists beside MCP.
 * The classifier learns them beside the example queries of the tools, so that the answer to a query which is likest to one of them says
 * that there is no such thing. No phrase here may be a wish that an operation serves.
 */
import { TOPICS_BESIDE } from './absent-beside.ts';
import { TOPICS_ELSEWHERE } from './absent-elsewhere.ts';
import type { AbsentTopic } from './absent-topic.ts';
import { splitQueries } from './split-queries.ts';

export const ABSENT_TOPICS: readonly AbsentTopic[] = [...TOPICS_BESIDE, ...TOPICS_ELSEWHERE].map((topic) => ({
  ...topic,
  requests: splitQueries(topic.requests),
}));
