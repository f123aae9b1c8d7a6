/** All limits of the product, each with its spec section or platform rule. */
export const LIMITS = {
  /** Outgoing requests per worker invocation, and therefore per local run. Spec 1, Limits. */
  subrequestsPerRun: 1000,
  /** Messages in one `sendBatch()`. Spec 1, Limits. */
  queueBatchMessages: 100,
  /** One `sendBatch()`. The queue platform counts 1000 bytes to a kilobyte. */
  queueBatchBytes: 256_000,
  /** One queue message, including the platform's overhead. */
  queueMessageBytes: 128_000,
  /** The platform's overhead per message. */
  queueMessageOverheadBytes: 100,
  /** The longest a queue message may be delayed: the queue platform's 24 hours. */
  queueDelaySeconds: 86_400,
  /** The most redeliveries that the queue platform allows. */
  queueRetries: 100,
  /** Consecutive errors after which a feed is skipped. Spec 1, Feed polling. */
  feedErrorBreaker: 50,
  /** The shortest text that A_LABEL_AND_RATE accepts. Spec 1, Example actions. */
  labelContentMinChars: 200,
  /** The largest cap that a loop gate may set. */
  loopIterationsMax: 100,
  /** One run's JSON input, from any source. */
  inputBytes: 10 * 1024 * 1024,
  /** One action's JSON output. */
  outputBytes: 10 * 1024 * 1024,
  /** Payloads above this are stored in a file instead of the history database. */
  payloadSpillBytes: 64 * 1024,
  /** A fetched body after decompression. */
  fetchBodyBytes: 15 * 1024 * 1024,
  /** HTML of one page to parse. */
  htmlChars: 5_000_000,
  /** Nesting depth of elements; the time to find an article grows much faster than the depth. */
  htmlDepth: 200,
  /** Elements of one page. */
  htmlElements: 45_000,
  /** Attributes of all elements of one page. */
  htmlAttributes: 80_000,
  /** Character references such as `&amp;` of one page. */
  htmlReferences: 80_000,
  /** Squared depths of all elements and texts, added up; above this the whole text is used instead of the article. */
  htmlNesting: 5_000_000,
  /** Elements, comments and pieces of text, plus half a point for each attribute, reference and 25 characters. */
  htmlWork: 50_000,
  /** Elements, plus a fifth of the attributes and a third of the references and comments; above this the whole text is used instead of the article. */
  htmlArticleParts: 6000,
  /** Characters of a page's title, times the headings that are compared with it, in the search for an article. */
  htmlTitleComparisons: 10_000_000,
  /** HTML of a page that is searched for an article; above this the whole text is used. */
  htmlArticleChars: 2_000_000,
  /** Reading one page for `web_fetch`, from parsing to its text; afterwards the page is refused. */
  pageReadMs: 2000,
  /** The JavaScript heap for reading one page. */
  pageHeapBytes: 256 * 1024 * 1024,
  /** Reading one feed where it must not delay other work; afterwards the feed is refused. */
  feedReadMs: 30_000,
  /** The JavaScript heap for reading one feed. */
  feedHeapBytes: 512 * 1024 * 1024,
  /** Answering one prompt by the offline model. */
  offlineModelMs: 20_000,
  /** The JavaScript heap for answering one prompt by the offline model. */
  offlineModelHeapBytes: 512 * 1024 * 1024,
  /** Masking the secrets of one stored record for display; afterwards it is not shown. */
  redactionMs: 20_000,
  /** The JavaScript heap for masking one record. */
  redactionHeapBytes: 512 * 1024 * 1024,
  /** Rendering or indexing one Markdown text where it must not delay other work; afterwards it is refused. */
  markdownMs: 5000,
  /** The JavaScript heap for rendering or indexing one Markdown text. */
  markdownHeapBytes: 256 * 1024 * 1024,
  /** Items of one feed; feeds with more are refused. */
  feedItems: 100_000,
  /** Nesting of JSON from outside; parsers and stores that recurse would overflow on deeper JSON. */
  jsonDepth: 100,
  /** Nesting of any JSON: leaves room for what Steward stores around such input. */
  storedJsonDepth: 200,
  /** One fetch, redirects included. */
  fetchTimeoutMs: 20_000,
  /** Redirects that one fetch follows. */
  fetchRedirects: 5,
  /** One shell command; its process group is killed afterwards. */
  shellTimeoutMs: 120_000,
  /** Each output of a command; the rest is cut. */
  shellOutputBytes: 4 * 1024 * 1024,
  /** Memory of one shell command, where the system can enforce it; the same applies to the next three. */
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
  /** One action, unless its manifest sets another limit. */
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
  /** Entries in the log of one step; the rest is left out. */
  stepLogEntries: 1000,
  /** Steps inside each other in a pipeline: branches of branches. */
  pipelineDepth: 8,
  /** Branches of one `parallel` step. */
  parallelBranches: 32,
  /** Elements of one `each` step. */
  fanOutElements: 10_000,
  /** Elements of an `each` step that are worked on at the same time, unless the step sets another number. */
  fanOutDefault: 4,
  /** The largest number that it may set. */
  fanOutConcurrency: 32,
  /** Steps of one run, those of branches and elements included. */
  stepsPerRun: 100_000,
  /** Attempts of one step with `retry`. */
  stepAttempts: 10,
  /** The longest wait between two attempts of a step. */
  stepRetryMs: 5 * 60_000,
  /** One condition of a pipeline. */
  conditionChars: 1000,
  /** Fields that a condition may search with all, exists, exists_one, map or filter. */
  conditionScanChars: 256 * 1024,
  /** Items that one flow run takes from its source; the rest waits for the next run. */
  flowItemsPerRun: 1000,
  /** Pages that one run of a flow may read from an API. */
  sourcePages: 100,
  /** Files that a watched folder may have. */
  watchedFiles: 10_000,
  /** One file of a watched folder, unless its source sets another limit. */
  watchedFileBytes: 1024 * 1024,
  /** One message of a mailbox; the rest of a longer one is not read. */
  mailBytes: 5 * 1024 * 1024,
  /** Sources of one flow. */
  flowSources: 50,
  /** Destinations of one flow. */
  flowDestinations: 10,
  /** Items of one digest. */
  digestItems: 200,
  /** Items of one flow processed concurrently, unless its entry sets another number. */
  flowConcurrency: 4,
  /** Retries of an item whose failures cost money, such as unusable model answers. */
  flowItemAttempts: 3,
  /** How long an item may fail before it is given up, unless its flow sets `retry.giveUpAfter`. */
  flowGiveUpMs: 7 * 24 * 3_600_000,
  /** One audio file to transcribe. */
  audioBytes: 25 * 1024 * 1024,
  /** Merged events per reader or target. Spec 2, Limits. */
  mergedEvents: 200,
  /** Minimum interval between writes of `lastToolActivity`. Spec 2, Limits. */
  toolActivityDebounceMs: 30_000,
  /** A native session without activity for this long is stale. Spec 2, Limits. */
  staleNativeMs: 5 * 60_000,
  /** The same for a starting session. */
  staleStartingMs: 10 * 60_000,
  /** How far back a phase without slug or session searches for its session. Spec 2, Limits. */
  phaseFallbackMs: 2 * 3_600_000,
  /** Silence of background agents after which the watchdog reports it. Spec 2, Limits. */
  watchdogSilenceMs: 90_000,
  /** Interval of an observer team's votes. Spec 3, Limits. */
  observerCycleMs: 30_000,
  /** Cost limit of observers per hour of the watched session. Spec 3, Limits: about $0.10. */
  observerUsdPerHour: 0.1,
  /** Timeout of a model's vote; the rules vote instead. */
  observerVoteMs: 20_000,
  /** Sessions with fewer tool calls are too short to be observed. Spec 3, Observer team. */
  observerToolCalls: 5,
  /** Poll interval of dashboards for recent events. Spec 2, Limits. */
  dashboardPollMs: 3_000,
  /** Longer spoken text is cut. */
  speechChars: 500,
  /** The message of one `POST /notify`; longer ones are refused. */
  notifyMessageBytes: 256 * 1024,
  /** Announcements waiting to be spoken; when full, the oldest of the lowest priority is dropped. */
  speechQueue: 1000,
  /** Announcements that waited longer are not spoken, unless they are errors or about security. */
  speechExpiryMs: 120_000,
  /** A longer task sends a push notification. Spec 2, Limits. */
  longTaskMinutes: 5,
  /** One event row; longer ones are counted and skipped. */
  eventLineBytes: 256 * 1024,
  /** A larger log is rotated. */
  logBytes: 64 * 1024 * 1024,
  /** Rotated files kept per log. */
  logFiles: 8,
  /** The policy file; longer files are not read. */
  policyBytes: 1_000_000,
  /** The file of security rules in natural language. */
  securityRulesBytes: 256 * 1024,
  /** One text submitted for a policy test. */
  securityTryChars: 64 * 1024,
  /** One request body, unless the route sets another limit. */
  daemonBodyBytes: 1024 * 1024,
  /** One push of events or work state. */
  daemonPushBytes: 8 * 1024 * 1024,
  /** One note of the knowledge archive; longer files are reported and not indexed. */
  noteBytes: 1024 * 1024,
  /** The JSON body that carries a note: one character can take six bytes. */
  noteBodyBytes: 6 * 1024 * 1024 + 4096,
  /** Minimum interval of a repeating task. */
  taskIntervalSeconds: 60,
  /** The text, question or input of a task. */
  taskTextChars: 4000,
  /** The request that creates a task. */
  taskBodyBytes: 64 * 1024,
  /** Tasks that are not finished. */
  tasks: 500,
  /** One file in USER/ASSISTANT. */
  assistantFileBytes: 1024 * 1024,
  /** The assistant's picture. */
  avatarBytes: 2 * 1024 * 1024,
  /** The stored part of a task's answer or output. */
  taskDetailChars: 8000,
  /** Notes per answer. */
  knowledgeListedNotes: 10_000,
  /** One document of the wiki; longer files are reported and skipped. */
  wikiDocumentBytes: 1024 * 1024,
  /** Documents of the wiki; more are reported and skipped. */
  wikiDocuments: 20_000,
} as const
