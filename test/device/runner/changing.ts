/** Changes of a run on air, asked of its runner's own door. */
import { request } from 'node:http';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { TestRunner } from './runner-fixture.ts';

export interface Answer {
  status: number;
  /** The instant of a change that is in force. */
  report: RunReport;
  code?: string;
  detail?: string;
  upstream?: string;
  seconds: number;
}

/** On a connection of its own: one that is kept may be closed by the runner at the moment of the next question. */
export function change(runner: TestRunner, what: RunChange, changeId?: string): Promise<Answer> {
  const begunAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: runner.files.socket, method: 'POST', path: '/change', agent: false },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => {
          const seconds = (performance.now() - begunAt) / 1000;
          resolve({ ...(JSON.parse(body) as Answer), status: response.statusCode ?? 0, seconds });
        });
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ change: what, changeId }));
  });
}
