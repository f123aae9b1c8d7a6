/** Every number the product holds itself to. The spec section or the platform rule stands beside each. */
export const LIMITS = {
  /** Requests to elsewhere in one worker invocation, and so in one local run. Spec 1, Limits. */
  subrequestsPerRun: 1000,
  /** Messages in one `sendBatch()`. Spec 1, Limits. */
  queueBatchMessages: 100,
  /** One `sendBatch()`. The queue platform counts 1000 bytes to a kilobyte. */
  queueBatchBytes: 256_000,
  /** One queue message, with the platform's own bookkeeping. */
  queueMessageBytes: 128_000,
  /** That bookkeeping. */
  queueMessageOverheadBytes: 100,
  /** The longest a queue message may be delayed: the queue platform's 24 hours. */
  queueDelaySeconds: 86_400,
  /** The most deliveries after the first that the queue platform lets one ask for. */
  queueRetries: 100,
  /** Errors in a row after which a feed is skipped. Spec 1, Feed polling. */
  feedErrorBreaker: 50,
  /** The least text A_LABEL_AND_RATE takes. Spec 1, Example actions. */
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
  /** HTML of one page that is parsed. */
  htmlChars: 5_000_000,
  /** Elements within each other; the time to find an article grows much faster than the depth. */
  htmlDepth: 200,
  /** Elements of one page. */
  htmlElements: 100_000,
  /** Depths of all elements of a page together; above this its whole text is read, not its article. */
  htmlNesting: 250_000,
  /** One fetch, redirects included. */
  fetchTimeoutMs: 20_000,
  /** Redirects that one fetch follows. */
  fetchRedirects: 5,
  /** One shell command; its process group is killed. */
  shellTimeoutMs: 120_000,
  /** Each of a command's outputs; the rest is cut. */
  shellOutputBytes: 4 * 1024 * 1024,
  /** Memory of one shell command, where the system can hold it to that; so are the next three. */
  shellMemoryBytes: 4 * 1024 ** 3,
  /** The largest file a command may write. */
  shellFileBytes: 1024 ** 3,
  /** Processes of one command. */
  shellProcesses: 512,
  /** Open files of one command. */
  shellOpenFiles: 4096,
  /** One file that an action reads. */
  readFileBytes: 10 * 1024 * 1024,
  /** One model call. */
  llmTimeoutMs: 120_000,
  /** One action, unless its manifest says otherwise. */
  actionTimeoutMs: 300_000,
  /** Loading the module of an action, its top-level awaits included. */
  actionLoadMs: 30_000,
  /** The JavaScript heap of an action. */
  actionHeapBytes: 512 * 1024 * 1024,
  /** All memory of an action's process, buffers and stacks included, where the system can limit it. */
  actionMemoryBytes: 1536 * 1024 * 1024,
  /** One message between an action's process and the runner, such as a file for a command. */
  actionFrameBytes: 64 * 1024 * 1024,
  /** Text that one call of an action logs and prints; the rest is left out. */
  actionPrintBytes: 256 * 1024,
  /** What one flow run takes from its source; the rest waits for the next run. */
  flowItemsPerRun: 1000,
  /** Items of one flow at a time, unless its entry says otherwise. */
  flowConcurrency: 4,
  /** How often a failing item is offered again by later runs before it is given up. */
  flowItemAttempts: 3,
  /** One audio file to transcribe. */
  audioBytes: 25 * 1024 * 1024,
  /** Merged events that a reader or target gets. Spec 2, Limits. */
  mergedEvents: 200,
  /** `lastToolActivity` is written at most this often. Spec 2, Limits. */
  toolActivityDebounceMs: 30_000,
  /** A native session without activity for this long is stale. Spec 2, Limits. */
  staleNativeMs: 5 * 60_000,
  /** The same of a starting one. */
  staleStartingMs: 10 * 60_000,
  /** How far back a phase without slug or session looks for its session. Spec 2, Limits. */
  phaseFallbackMs: 2 * 3_600_000,
  /** Silence of background agents after which the watchdog speaks. Spec 2, Limits. */
  watchdogSilenceMs: 90_000,
  /** An observer team votes this often. Spec 3, Limits. */
  observerCycleMs: 30_000,
  /** What observers may cost in an hour of the session they watch. Spec 3, Limits: about $0.10. */
  observerUsdPerHour: 0.1,
  /** A vote of a model that takes longer is late, and the rules vote in its place. */
  observerVoteMs: 20_000,
  /** Sessions with fewer tool calls are too short to be observed. Spec 3, Observer team. */
  observerToolCalls: 5,
  /** How often dashboards ask for recent events. Spec 2, Limits. */
  dashboardPollMs: 3_000,
  /** Spoken text is cut here. */
  speechChars: 500,
  /** What one `POST /notify` may say; the rest is refused. */
  notifyMessageBytes: 256 * 1024,
  /** Announcements that wait to be spoken; the least important oldest one makes room. */
  speechQueue: 1000,
  /** A line that waited longer than this is not spoken any more, unless it is an error or about security. */
  speechExpiryMs: 120_000,
  /** A task that took longer is worth a push. Spec 2, Limits. */
  longTaskMinutes: 5,
  /** One event row; longer ones are counted and skipped. */
  eventLineBytes: 256 * 1024,
  /** A log is rotated when it is larger than this. */
  logBytes: 64 * 1024 * 1024,
  /** Rotated logs that are kept of each. */
  logFiles: 8,
  /** The policy file; longer ones are not read. */
  policyBytes: 1_000_000,
  /** The file of security rules in natural language. */
  securityRulesBytes: 256 * 1024,
  /** One text that is handed in to be judged. */
  securityTryChars: 64 * 1024,
  /** One request body, unless the route says otherwise. */
  daemonBodyBytes: 1024 * 1024,
  /** One push of events or work state. */
  daemonPushBytes: 8 * 1024 * 1024,
  /** One note of the knowledge archive; a longer file is named and left alone. */
  noteBytes: 1024 * 1024,
  /** The JSON that carries one: a character may take six there. */
  noteBodyBytes: 6 * 1024 * 1024 + 4096,
  /** A task that repeats does so no more often than this. */
  taskIntervalSeconds: 60,
  /** What a task says, asks or is called with. */
  taskTextChars: 4000,
  /** The request that sets one. */
  taskBodyBytes: 64 * 1024,
  /** Tasks that are not over. */
  tasks: 500,
  /** One file in USER/ASSISTANT. */
  assistantFileBytes: 1024 * 1024,
  /** The assistant's picture. */
  avatarBytes: 2 * 1024 * 1024,
  /** What is kept of a task's answer or output. */
  taskDetailChars: 8000,
  /** Notes in one answer. */
  knowledgeListedNotes: 10_000,
  /** One document of the wiki; a longer file is named and left out. */
  wikiDocumentBytes: 1024 * 1024,
  /** Documents of the wiki; the rest is named and left out. */
  wikiDocuments: 20_000,
} as const
