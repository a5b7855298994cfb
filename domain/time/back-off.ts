export interface RetryBudget {
  max_attempts: number;
  initial_delay_ms: number;
  max_delay_ms: number;
}

/**
 * Delay before attempt `attempt` (1-based), in milliseconds: exponential, capped, with "equal jitter" (half fixed, half random), so that
 * publishers that failed together do not retry together. `random` is 0 ≤ r < 1. Undefined when the budget is spent.
 */
export function retryDelayMs(budget: RetryBudget, attempt: number, random: number): number | undefined {
  if (attempt > budget.max_attempts) return undefined;
  const ceiling = Math.min(budget.max_delay_ms, budget.initial_delay_ms * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}
