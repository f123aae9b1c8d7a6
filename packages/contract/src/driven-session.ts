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

/** What to start: an assistant, in a folder, with a task. */
export const drivenStart = z
  .strictObject({
    assistant: z.enum(HOSTS),
    /** An absolute path. */
    project: z.string().min(1).max(4096),
    prompt,
    /** Work in a git worktree on a branch of its own. */
    worktree: z.boolean().default(false),
    limits: drivenLimits.prefault({}),
    permissions: z.enum(DRIVEN_PERMISSIONS).default('ask'),
    /** A mode of the assistant, such as `acceptEdits`. */
    mode: z.string().min(1).max(100).optional(),
    /** Runs in a shell in the folder after each turn. */
    check: z.string().trim().min(1).max(4000).optional(),
  })
  .meta({ id: 'SessionStart' })
export type DrivenStart = z.infer<typeof drivenStart>

export const sessionMessage = z.strictObject({ text: prompt })

/** What the work of a session left behind. */
export const drivenResult = z.object({
  /** `git diff --stat` against the commit it started from, with untracked files; null outside a repository. */
  diffStat: z.string().nullable(),
  /** The commits are on `branch`; nothing is pushed. */
  commit: z.string().nullable(),
  check: z.object({ command: z.string(), ok: z.boolean(), output: z.string() }).nullable(),
})
export type DrivenResult = z.infer<typeof drivenResult>

/** A session that Steward started. Its id is that of the assistant. */
export const drivenSession = z
  .object({
    id: z.string(),
    assistant: z.enum(HOSTS),
    project: z.string(),
    /** Where it works: the project, or its worktree. */
    folder: z.string(),
    branch: z.string().nullable(),
    /** The commit that it started from. */
    base: z.string().nullable(),
    prompt: z.string(),
    state: z.enum(DRIVEN_STATES),
    /** Why it is in this state, in words. */
    reason: z.string().nullable(),
    limits: drivenLimits,
    permissions: z.enum(DRIVEN_PERMISSIONS),
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
  })
  .meta({ id: 'DrivenSession' })
export type DrivenSession = z.infer<typeof drivenSession>

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

/** One piece of what a driven session shows, in order. */
export const drivenOutput = z.object({
  seq: z.int().positive(),
  at: z.string(),
  kind: z.enum(['prompt', 'message', 'thought', 'tool', 'plan', 'permission', 'state']),
  text: z.string(),
})
export type DrivenOutput = z.infer<typeof drivenOutput>
