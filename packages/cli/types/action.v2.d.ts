/** The interface of a Steward action, generation v2. No imports: copy it anywhere. */

/** A JSON object of named fields: the data format between actions. */
export type Fields = Record<string, unknown>

/** Your action: takes its input fields, returns its own output fields. Upstream fields are kept for you. */
export type ExecuteV2 = (input: Fields, context: ActionContextV2) => Promise<Fields> | Fields

export interface ActionContextV2 {
  /** Only the capabilities that `requires` in action.json lists are set. */
  capabilities: CapabilitiesV2
  env: { mode: 'local' | 'cloud'; secrets: readonly string[] }
  /** The value of a secret that the manifest declares; undefined if it is not set. */
  secret: (name: string) => string | undefined
  /** Aborted when the run is stopped or the action times out. */
  signal: AbortSignal
  /** The current time; injected so that tests control it. */
  now: () => Date
  trace: { runId: string; step: number }
  pipeline?: { name: string; step: number }
  /** A line for the person watching; never part of the output. */
  log: (message: string, level?: 'debug' | 'info' | 'warn' | 'error') => void
}

/** Runs one turn of a coding assistant; for actions that come with Steward only. */
export type RunAssistant = (task: Fields) => Promise<AssistantOutcome>

export interface AssistantOutcome {
  session: string
  state: string
  reason: string | null
  answer: string
  folder: string
  branch: string | null
  commit: string | null
  patch: string | null
  diffStat: string | null
  diff: string | null
  outside: string[]
  check: { command: string; ok: boolean; output: string } | null
  costUsd: number | null
  turns: number
  toolCalls: number
}

/** Runs a task in a hosted session; for actions that come with Steward only. */
export type RunHostedAgent = (task: Fields) => Promise<HostedAgentOutcome>

export interface HostedAgentOutcome {
  session: string
  stop: string
  answer: string
  files: { id: string; name: string; bytes: number }[]
  costUsd: number | null
}

export interface CapabilitiesV2 {
  llm?: Llm
  shell?: Shell
  readFile?: ReadFile
  fetch?: Fetch
  assistant?: RunAssistant
  hostedAgent?: RunHostedAgent
}

export type Llm = (prompt: string, options?: LlmOptions) => Promise<LlmAnswer>

export interface LlmOptions {
  /** Defaults to `fast`. `smart` is a deprecated alias of `deep`. */
  tier?: 'fast' | 'standard' | 'deep' | 'smart'
  system?: string
  /** A JSON Schema that the answer's `json` will match. */
  schema?: Record<string, unknown>
  /** The answer must be a JSON object of any shape. */
  json?: boolean
  maxTokens?: number
}

export interface LlmAnswer {
  text: string
  json?: unknown
  usage: { input: number; output: number }
  /** USD; null if the price is unknown. */
  cost: number | null
  model: string
  provider: 'anthropic' | 'openai' | 'ollama' | 'offline'
}

/** An argument vector, never a command line: nothing is interpreted. */
export type Shell = (argv: readonly string[], options?: ShellOptions) => Promise<ShellResult>

export interface ShellOptions {
  /** Text for the command's standard input. */
  stdin?: string
  timeoutMs?: number
  env?: Record<string, string>
  /** Files to put into the command's working directory before it starts. */
  files?: Record<string, Uint8Array>
  /** Absolute paths that the command may also read; must never come from input. */
  readPaths?: string[]
  /** Names of files to return as text after it ends; `*` matches any characters. */
  collect?: string[]
}

export interface ShellResult {
  stdout: string
  stderr: string
  /** The exit code; a non-zero code does not throw. 124 means timeout. */
  code: number
  /** How the command was isolated from the machine. */
  isolation: 'bubblewrap' | 'sandbox-exec' | 'container' | 'permission-model' | 'none'
  /** Output beyond the cap was cut. */
  truncated: boolean
  files: Record<string, string>
}

export type ReadFile = (path: string) => Promise<string>

export interface FetchInit extends RequestInit {
  /** For slow services; the default limit is meant for web pages. */
  timeoutMs?: number
}

/** Refuses private and loopback addresses unless settings.json allows the host. */
export type Fetch = (input: string | URL, init?: FetchInit) => Promise<Response>
