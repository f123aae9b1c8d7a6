import { z } from 'zod'
import type { HostedAgentOutcome } from './hosted/hosted-task.ts'
import { type JsonObject, schemaAddress } from './json.ts'
import type { Llm } from './model.ts'
import { nameOf } from './naming.ts'

export const FIELD_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const
export const CAPABILITIES = [
  'llm',
  'shell',
  'readFile',
  'fetch',
  'assistant',
  'hostedAgent',
] as const
export const TIERS = ['isolate', 'sandbox'] as const
export type FieldType = (typeof FIELD_TYPES)[number]
export type CapabilityName = (typeof CAPABILITIES)[number]
export type Tier = (typeof TIERS)[number]

/** A JSON Schema keyword that describes a field further. */
const annotation = z.unknown().optional().meta({ description: 'For readers; it is not checked.' })

export const fieldSpecV2 = z
  .strictObject({
    type: z.enum(FIELD_TYPES).meta({ description: 'The JSON type of the field.' }),
    required: z
      .boolean()
      .optional()
      .meta({ description: 'Input: must be given. Output: false if it may be missing.' }),
    description: z.string().optional().meta({ description: 'What the field means.' }),
    default: z.unknown().optional().meta({ description: 'Used when the field is not given.' }),
    enum: z.array(z.unknown()).min(1).optional().meta({ description: 'The only values allowed.' }),
    title: annotation,
    format: annotation,
    pattern: annotation,
    items: annotation,
    properties: annotation,
    minimum: annotation,
    maximum: annotation,
    minLength: annotation,
    maxLength: annotation,
    example: annotation,
    examples: annotation,
  })
  .meta({ description: 'One field: its type, and whether it is required.' })
export type FieldSpecV2 = z.infer<typeof fieldSpecV2>

/** The spec's form: field name to `{type, required?}`. */
export const fieldMapV2 = z.record(z.string(), fieldSpecV2)
/** The older long form: a whole JSON Schema of an object. */
export const objectSchemaV2 = z.looseObject({
  type: z.literal('object').meta({ description: 'Marks the long form: a JSON Schema.' }),
})
export const fieldsSpecV2 = z.union([objectSchemaV2, fieldMapV2])
export type FieldsSpecV2 = z.infer<typeof fieldsSpecV2>

const secretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be an UPPER_SNAKE_CASE name, never a value')

/** A secret that the action needs, or one that it can do without. */
export const secretSpecV2 = z.union([
  secretName.meta({ description: 'A required secret; the action does not start without it.' }),
  z.strictObject({
    name: secretName.meta({ description: 'Its name in the environment or in .env.' }),
    optional: z
      .boolean()
      .optional()
      .meta({ description: 'true if the action also works without it.' }),
  }),
])
export type SecretSpecV2 = z.infer<typeof secretSpecV2>

/** `action.json`. Spec 1, Action; design section 5 for the optional fields. */
export const actionManifestV2 = z
  .strictObject({
    $schema: schemaAddress,
    name: nameOf('action').meta({
      description: 'A_ and 2 to 4 words in UPPER_SNAKE_CASE, verb first.',
    }),
    description: z.string().min(1).meta({ description: 'What the action does, in one sentence.' }),
    input: fieldsSpecV2.meta({ description: 'Fields it takes: name to {type, required}.' }),
    output: fieldsSpecV2.meta({ description: 'Fields it adds: name to {type}.' }),
    requires: z
      .array(z.enum(CAPABILITIES))
      .default([])
      .meta({ description: 'Capabilities to put into context.capabilities.' }),
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+/, 'must be a version such as 1.0.0')
      .default('1.0.0')
      .meta({ description: 'Recorded with every run.' }),
    tags: z.array(z.string()).optional().meta({ description: 'Search words.' }),
    secrets: z
      .array(secretSpecV2)
      .default([])
      .meta({ description: 'Names of the secrets the action uses. Never values.' }),
    timeoutMs: z.int().positive().optional().meta({ description: 'Timeout of one call.' }),
    command: z.array(z.string().min(1)).min(1).optional().meta({
      description: 'A program to run instead of a module: JSON on standard input and output.',
    }),
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'),
        z.string(),
      )
      .optional()
      .meta({ description: 'Environment variables of the program, besides its secrets.' }),
    readPaths: z
      .array(z.string().regex(/^(\/|~\/)/, 'must start with / or ~/'))
      .optional()
      .meta({ description: 'Files and folders that the program may also read.' }),
    sockets: z
      .boolean()
      .optional()
      .meta({ description: 'Opens connections itself, as for SMTP; for built-in actions only.' }),
    tier: z
      .enum(TIERS)
      .optional()
      .meta({ description: 'Overrides the rule: sandbox for shell and readFile, else isolate.' }),
    packages: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'must be the name of a Debian package'))
      .optional()
      .meta({ description: 'Debian packages to install in the container of a sandbox worker.' }),
    author: z
      .union([
        z.string(),
        z.looseObject({ name: z.string().meta({ description: 'Name of the author.' }) }),
      ])
      .optional()
      .meta({ description: 'The author.' }),
    license: z.string().optional().meta({ description: 'The license of its code.' }),
    deployment: z
      .looseObject({})
      .optional()
      .meta({ description: 'Deprecated; use timeoutMs and secrets.' }),
  })
  .meta({ title: 'Steward action manifest' })
export type ActionManifestV2 = z.infer<typeof actionManifestV2>

/** All secrets that an action declares, required and optional. */
export const secretNamesOf = ({ secrets }: Pick<ActionManifestV2, 'secrets'>): string[] =>
  secrets.map((secret) => (typeof secret === 'string' ? secret : secret.name))

/** An action does not start while one of these secrets is missing. */
export const requiredSecretsOf = ({ secrets }: Pick<ActionManifestV2, 'secrets'>): string[] =>
  secretNamesOf({
    secrets: secrets.filter((secret) => typeof secret === 'string' || secret.optional !== true),
  })

/** Design section 5: only shell and file access need a container; `tier` overrides. */
export const tierOf = (manifest: Pick<ActionManifestV2, 'requires' | 'tier' | 'command'>): Tier => {
  if (manifest.tier !== undefined) return manifest.tier
  if (manifest.command !== undefined) return 'sandbox'
  return manifest.requires.some((name) => name === 'shell' || name === 'readFile')
    ? 'sandbox'
    : 'isolate'
}

export interface ShellOptions {
  /** Bytes for the command's standard input. */
  stdin?: string
  timeoutMs?: number
  env?: Record<string, string>
  /** Files to put into the command's working directory before it starts: plain names, any bytes. */
  files?: Record<string, Uint8Array>
  /**
   * Absolute paths that the command may also read, such as a configured model file. They must never
   * come from input.
   */
  readPaths?: string[]
  /**
   * Names of files in the command's working directory to return as UTF-8 text after it ends. `*`
   * matches any characters, for names that the command chooses: `transcript.*.vtt`.
   */
  collect?: string[]
}

export interface ShellResult {
  stdout: string
  stderr: string
  /** The exit code; a non-zero code does not throw. 124 means timeout. */
  code: number
  /** How the command was isolated from the machine. */
  isolation: Isolation
  /** Output beyond the cap was cut. */
  truncated: boolean
  files: Record<string, string>
}

/** `permission-model`: a process of its own that Node keeps from files and programs, not from the network. */
export const ISOLATIONS = [
  'bubblewrap',
  'sandbox-exec',
  'container',
  'permission-model',
  'none',
] as const
export type Isolation = (typeof ISOLATIONS)[number]

/** An argument vector, never a command line: nothing is interpreted. */
export type Shell = (argv: readonly string[], options?: ShellOptions) => Promise<ShellResult>
export type ReadFile = (path: string) => Promise<string>
export interface FetchInit extends RequestInit {
  /** For slow services such as transcription; the default limit is meant for web pages. */
  timeoutMs?: number
}
export type Fetch = (input: string | URL, init?: FetchInit) => Promise<Response>

/**
 * Runs one turn of a coding assistant on this machine, and waits for its end. The n-th call of a step
 * finds its turn again after an interruption. For built-in actions only.
 */
export type RunAssistant = (task: JsonObject) => Promise<AssistantOutcome>

/**
 * Runs a task in a hosted session, and waits for the end of its turn. The n-th call of a step finds
 * its session again after an interruption. For built-in actions only.
 */
export type RunHostedAgent = (task: JsonObject) => Promise<HostedAgentOutcome>

/** How a turn of an assistant ended, and what its session has left so far. */
export interface AssistantOutcome {
  /** The id of its session. */
  session: string
  state: string
  /** Why it is in this state. */
  reason: string | null
  /** Its last message. */
  answer: string
  folder: string
  branch: string | null
  commit: string | null
  /** A file with the changes of a copy. */
  patch: string | null
  diffStat: string | null
  diff: string | null
  /** Changed files outside the writable paths. */
  outside: string[]
  check: { command: string; ok: boolean; output: string } | null
  costUsd: number | null
  turns: number
  toolCalls: number
}

/** The capabilities passed to an action; only those that its manifest declares are set. */
export interface CapabilitiesV2 {
  llm?: Llm
  shell?: Shell
  readFile?: ReadFile
  fetch?: Fetch
  assistant?: RunAssistant
  hostedAgent?: RunHostedAgent
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface ActionContextV2 {
  capabilities: CapabilitiesV2
  env: { mode: 'local' | 'cloud'; secrets: readonly string[] }
  /** The value of a secret that the manifest declares; undefined if an optional one is not set. */
  secret: (name: string) => string | undefined
  /** Aborted when the run is stopped or the action times out. */
  signal: AbortSignal
  /** The current time; injected so that tests control it. */
  now: () => Date
  trace: { runId: string; step: number }
  pipeline?: { name: string; step: number }
  /** A line for the person watching, kept with the run; never part of the output. */
  log: (message: string, level?: LogLevel) => void
}

export type ExecuteV2 = (
  input: JsonObject,
  context: ActionContextV2,
) => Promise<JsonObject> | JsonObject

/** A loaded action: its manifest and its code. */
export interface ActionV2 {
  manifest: ActionManifestV2
  execute: ExecuteV2
}

/** Spec 1, Endpoints, action worker. */
export const actionAnswerV2 = z.object({
  success: z.literal(true),
  action: z.string(),
  duration_ms: z.int().nonnegative(),
  output: z.record(z.string(), z.unknown()),
})
export type ActionAnswerV2 = z.infer<typeof actionAnswerV2>
