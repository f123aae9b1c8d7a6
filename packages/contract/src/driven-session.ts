import { z } from 'zod'
import { HOSTS } from './host-event.ts'

/**
 * `starting`: the assistant is being started or resumed. `idle`: its turn is over, and it takes
 * messages. `stopped`: a person or a limit ended it. `interrupted`: its work was cut off and could
 * not be resumed.
 */
export const DRIVEN_STATES = [
  'starting',
  'working',
  'idle',
  'stopped',
  'failed',
  'interrupted',
] as const
export type DrivenState = (typeof DRIVEN_STATES)[number]

/** What happens when the assistant asks for a permission. */
export const DRIVEN_PERMISSIONS = ['ask', 'deny'] as const

const count = z.int().nonnegative()
const prompt = z.string().trim().min(1).max(100_000)

const drivenLimits = z.strictObject({
  minutes: z.number().positive().max(10_080).optional().meta({ description: 'Working time.' }),
  turns: z.int().positive().max(1000).optional().meta({ description: 'Messages to it.' }),
  toolCalls: z.int().positive().max(100_000).optional(),
  budgetUsd: z.number().positive().max(10_000).optional(),
})
export type DrivenLimits = z.infer<typeof drivenLimits>

const relativePath = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^(?!\/|~)(?!.*(?:^|\/)\.\.(?:\/|$))/, 'must be a path below the folder of the session')

/**
 * `KIND` or `KIND PATTERN`, such as `edit`, `edit src/*`, `execute npm test`. Kinds are those of the
 * protocol.
 */
export const DRIVEN_TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
] as const
const allowRule = z
  .string()
  .max(500)
  .regex(
    new RegExp(`^(?:${DRIVEN_TOOL_KINDS.join('|')})(?: \\S.*)?$`),
    `must be ${DRIVEN_TOOL_KINDS.join(', ')}, optionally with a pattern: execute npm test*`,
  )

/** How a session works: who, where, and within which limits. */
const drivenSettings = z.strictObject({
  assistant: z.enum(HOSTS),
  /** An absolute path, or one that begins with ~/. */
  project: z.string().min(1).max(4096),
  /** Work in a git worktree on a branch of its own. */
  worktree: z.boolean().default(false),
  /** Work in a copy of the project; the changes become a patch. For folders without git. */
  copy: z.boolean().default(false),
  limits: drivenLimits.prefault({}),
  permissions: z.enum(DRIVEN_PERMISSIONS).default('ask'),
  /** Requests that are allowed without asking. */
  allow: z.array(allowRule).max(100).default([]),
  /** The only paths that it may change, below its folder; all of them if empty. */
  writable: z.array(relativePath).max(100).default([]),
  /** Run its program in the sandbox of actions. */
  sandbox: z.boolean().default(false),
  /** The persona of a named agent, put before the prompt. */
  agent: z.string().min(1).max(60).optional(),
  /** Traits to compose a persona from, as `steward compose --traits`. */
  traits: z.array(z.string().min(1).max(60)).max(20).optional(),
  /** A mode of the assistant, such as `acceptEdits`. */
  mode: z.string().min(1).max(100).optional(),
  /** Runs in a shell in the folder after each turn. */
  check: z.string().trim().min(1).max(4000).optional(),
})
export type DrivenSettings = z.input<typeof drivenSettings>

/** What to start: an assistant, in a folder, with a task. */
export const drivenStart = drivenSettings.extend({ prompt }).meta({ id: 'SessionStart' })
export type DrivenStart = z.infer<typeof drivenStart>

export const sessionMessage = z.strictObject({ text: prompt })

/** One turn for an action: of a new session, or of an earlier one. */
export const turnTask = z.union([
  drivenStart,
  z.strictObject({ session: z.string().min(1).max(200), prompt }),
])
export type TurnTask = z.input<typeof turnTask>

/** The most assistants that one comparison starts. */
const MOST_COMPARED = 4

/** The same task for several assistants, each in a worktree or copy of its own. */
export const comparisonStart = drivenSettings
  .omit({ assistant: true, worktree: true })
  .extend({ prompt, assistants: z.array(z.enum(HOSTS)).min(2).max(MOST_COMPARED) })
  .meta({ id: 'ComparisonStart' })
export type ComparisonStart = z.infer<typeof comparisonStart>

/** What the work of a session left behind. */
export const drivenResult = z.object({
  /** `git diff --stat` against what it started from, with untracked files; null outside a repository. */
  diffStat: z.string().nullable(),
  /** The commits are on `branch`; nothing is pushed. */
  commit: z.string().nullable(),
  /** A file with the changes of a copy; null without a copy, or if nothing changed. */
  patch: z.string().nullable().default(null),
  /** Changed files outside the writable paths; they are not committed. */
  outside: z.array(z.string()).default([]),
  check: z.object({ command: z.string(), ok: z.boolean(), output: z.string() }).nullable(),
})
export type DrivenResult = z.infer<typeof drivenResult>

/** A session that Steward started. Its id is that of the assistant. */
export const drivenSession = z
  .object({
    id: z.string(),
    assistant: z.enum(HOSTS),
    project: z.string(),
    /** Where it works: the project, its worktree, or its copy. */
    folder: z.string(),
    branch: z.string().nullable(),
    /** The commit that it started from; of a copy, in a repository of Steward. */
    base: z.string().nullable(),
    copy: z.boolean().default(false),
    prompt: z.string(),
    state: z.enum(DRIVEN_STATES),
    /** Why it is in this state, in words. */
    reason: z.string().nullable(),
    limits: drivenLimits,
    permissions: z.enum(DRIVEN_PERMISSIONS),
    allow: z.array(z.string()).default([]),
    writable: z.array(z.string()).default([]),
    sandbox: z.boolean().default(false),
    mode: z.string().nullable(),
    check: z.string().nullable(),
    turns: count,
    toolCalls: count,
    workedMs: count,
    /** As the assistant reports it; null if it reports none. */
    costUsd: z.number().nullable(),
    /** How often it was resumed after an interruption. */
    resumed: count,
    startedAt: z.string(),
    changedAt: z.string(),
    result: drivenResult.nullable(),
    /** The last message of its last turn. */
    answer: z.string().nullable().default(null),
    /** The key of its last turn, if an action requested that. */
    key: z.string().nullable().default(null),
  })
  .meta({ id: 'DrivenSession' })
export type DrivenSession = z.infer<typeof drivenSession>

/** The sessions of a comparison side by side. Nothing is merged or pushed. */
export const comparison = z
  .object({
    id: z.string(),
    prompt: z.string(),
    project: z.string(),
    startedAt: z.string(),
    sides: z.array(
      z.object({
        session: drivenSession,
        /** Its changes as a patch; null while it works, or if they cannot be read. */
        diff: z.string().nullable(),
        truncated: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Comparison' })
export type Comparison = z.infer<typeof comparison>

/** The beginning of the message by which Steward continues an interrupted turn; it is not a new turn. */
export const CONTINUE_REQUEST = 'Your program was interrupted while you worked on the task below.'

/** How a message reached its session. */
export const sentMessage = z
  .object({
    id: z.string(),
    /**
     * `prompt`: to a session that Steward started. `reply`: to a finished turn that was kept open.
     * `resume`: the assistant continues a session that had ended.
     */
    as: z.enum(['prompt', 'reply', 'resume']),
    /** The session, if Steward started it. */
    driven: drivenSession.nullable(),
  })
  .meta({ id: 'SentMessage' })
export type SentMessage = z.infer<typeof sentMessage>
/** A turn that an action requests. The same key is the same turn, also after a restart. */
export const drivenTurnRequest = z.strictObject({
  key: z.string().min(1).max(200),
  task: turnTask,
  /** Answers after this time at the latest. */
  waitMs: z.int().nonnegative().max(30_000).default(20_000),
})
export type DrivenTurnRequest = z.infer<typeof drivenTurnRequest>

/** `queued`: too many sessions are working. */
export const drivenTurn = z
  .object({
    status: z.enum(['queued', 'working', 'ended']),
    session: drivenSession.nullable(),
    /** The changes since the session started, once the turn has ended. */
    diff: z.string().nullable(),
  })
  .meta({ id: 'DrivenTurn' })
export type DrivenTurn = z.infer<typeof drivenTurn>

/** What a turn that has ended left behind. */
export interface TurnAnswer {
  session: DrivenSession
  diff: string | null
}

/** One piece of what a driven session shows, in order. */
export const drivenOutput = z.object({
  seq: z.int().positive(),
  at: z.string(),
  kind: z.enum(['prompt', 'message', 'thought', 'tool', 'plan', 'permission', 'state']),
  text: z.string(),
})
export type DrivenOutput = z.infer<typeof drivenOutput>
