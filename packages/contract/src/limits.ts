/** Every number the product holds itself to. The spec section or the platform rule stands beside each. */
export const LIMITS = {
  /** Spec 1, Limits: each worker invocation, and so each local run. */
  subrequestsPerRun: 1000,
  /** Spec 1, Limits. */
  queueBatchMessages: 100,
  /** The queue platform's, which counts 1000 bytes to a kilobyte and its own bookkeeping with each message. */
  queueBatchBytes: 256_000,
  queueMessageBytes: 128_000,
  queueMessageOverheadBytes: 100,
  /** Spec 1, Feed polling. */
  feedErrorBreaker: 50,
  /** Spec 1, A_LABEL_AND_RATE. */
  labelContentMinChars: 200,
  /** The most a loop gate may be asked to repeat. */
  loopIterationsMax: 100,
  /** One run's JSON input, on every road in. */
  inputBytes: 10 * 1024 * 1024,
  /** One action's JSON output. */
  outputBytes: 10 * 1024 * 1024,
  /** Payloads above this leave the history database for a file. */
  payloadSpillBytes: 64 * 1024,
  /** A fetched body after decompression. */
  fetchBodyBytes: 15 * 1024 * 1024,
  fetchTimeoutMs: 20_000,
  fetchRedirects: 5,
  shellTimeoutMs: 120_000,
  shellOutputBytes: 4 * 1024 * 1024,
  /** What one shell command may use, where the system can hold it to that. */
  shellMemoryBytes: 4 * 1024 ** 3,
  shellFileBytes: 1024 ** 3,
  shellProcesses: 512,
  shellOpenFiles: 4096,
  readFileBytes: 10 * 1024 * 1024,
  llmTimeoutMs: 120_000,
  actionTimeoutMs: 300_000,
  /** What one flow run takes from its source; the rest waits for the next run. */
  flowItemsPerRun: 1000,
  flowConcurrency: 4,
  /** How often a failing item is offered again by later runs before it is given up. */
  flowItemAttempts: 3,
  audioBytes: 25 * 1024 * 1024,
} as const
