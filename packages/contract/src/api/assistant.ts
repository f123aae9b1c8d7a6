import { z } from 'zod'
import {
  CATCH_UPS,
  diaryFields,
  FIRING_STATES,
  ON_INTERRUPTED,
  opinion,
  personalityFile,
  taskAction,
  taskFiring,
  traitValue,
} from '../assistant.ts'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const WRITE = 'Tasks run unattended.'
const OWN = 'Only the person may change the identity of the assistant.'

const id = z.object({ id: z.string().min(1).max(100) })
const when = z.string().trim().min(1).max(300)
const timezone = z.string().min(1).max(60)

/** `at` without an offset is a local time. `text` is English, such as `every weekday at 9`. */
const askedSchedule = z.strictObject({
  type: z.enum(['recurring', 'once']).optional(),
  text: when.optional(),
  cron: z.string().min(1).max(200).optional(),
  at: z.string().min(1).max(60).optional(),
  until: z.string().min(1).max(60).optional(),
  timezone: timezone.optional(),
})
export type AskedSchedule = z.infer<typeof askedSchedule>

/** How a schedule was interpreted. */
const understood = z.object({
  /** In plain words. */
  understood: z.string(),
  timezone: z.string(),
  /** The next three firings, in the time zone with its offset. */
  next: z.array(z.string()),
})

/** One row of the list of everything scheduled. */
const taskRow = z.object({
  name: z.string(),
  schedule: z.string(),
  status: z.string(),
  /**
   * `da`: the assistant's tasks. `pulse`: the daemon's tasks and flows. `claude-code`: tasks of a
   * Claude Code session.
   */
  source: z.enum(['da', 'pulse', 'claude-code']),
  next: z.string().nullable(),
  details: z
    .object({
      id: z.string().optional(),
      action: z.unknown().optional(),
      fire_count: z.int().optional(),
      last_fired: z.string().nullable().optional(),
      /** How the last firing ended. */
      last_state: z.enum(FIRING_STATES).optional(),
      last_detail: z.string().nullable().optional(),
      /** The name of the flow that it starts. */
      flow: z.string().optional(),
      note: z.string().optional(),
    })
    .optional(),
})
export type TaskRow = z.infer<typeof taskRow>

const shownOpinion = opinion.extend({ confidence: z.number(), evidence_count: z.int() })

export const assistantRoutes = {
  getAssistantHealth: defineRoute({
    method: 'GET',
    path: '/assistant/health',
    summary: 'State of the assistant: its files, tasks and diary.',
    access: 'local',
    why: READ,
    answer: z.object({
      status: z.enum(['ok', 'degraded']),
      reason: z.string().optional(),
      primary_da: z.string(),
      identity_loaded: z.boolean(),
      scheduled_tasks: z.int(),
      last_heartbeat: z.string().nullable(),
      diary_entries_today: z.int(),
      opinions_count: z.int(),
    }),
  }),
  getAssistantIdentity: defineRoute({
    method: 'GET',
    path: '/assistant/identity',
    summary: 'Identity of the assistant.',
    access: 'local',
    why: READ,
    answer: z.object({
      name: z.string(),
      full_name: z.string(),
      display_name: z.string(),
      color: z.string(),
      role: z.string(),
      origin_story: z.string(),
      has_avatar: z.boolean(),
      principal: z.string(),
      uptime_ms: z.number(),
    }),
    errors: ['assistant_unreadable'],
  }),
  getPersonality: defineRoute({
    method: 'GET',
    path: '/assistant/personality',
    summary: 'Its traits, its preferences and the actions that need approval.',
    access: 'local',
    why: READ,
    answer: personalityFile,
    errors: ['assistant_unreadable'],
  }),
  updateTraits: defineRoute({
    method: 'PATCH',
    path: '/assistant/personality/traits',
    summary: 'Sets traits, 0 to 100; comments in the file are kept.',
    access: 'token',
    why: OWN,
    body: z
      .record(z.string().max(60), traitValue)
      .refine((traits) => Object.keys(traits).length > 0, 'name at least one trait'),
    answer: z.object({ ok: z.literal(true), updated: z.array(z.string()) }),
    errors: ['invalid_input', 'assistant_unreadable'],
  }),
  getAvatar: defineRoute({
    method: 'GET',
    path: '/assistant/avatar',
    summary: 'Its picture: `USER/ASSISTANT/avatar.*`, or one drawn from its name and traits.',
    access: 'local',
    why: READ,
    answer: 'bytes',
    errors: ['payload_too_large', 'rejected_content'],
  }),
  listTasks: defineRoute({
    method: 'GET',
    path: '/assistant/tasks',
    summary:
      'Everything scheduled: its tasks, the daemon’s tasks, flows and the crons of sessions.',
    access: 'local',
    why: READ,
    query: z.object({ all: z.stringbool().default(false) }),
    answer: z.object({
      tasks: z.array(taskRow),
      count: z.int(),
      by_source: z.record(z.string(), z.int()),
      /** Entries of the file that could not be parsed. */
      problems: z.array(z.string()),
    }),
    errors: ['assistant_unreadable'],
  }),
  createTask: defineRoute({
    method: 'POST',
    path: '/assistant/tasks',
    summary: 'Creates a task and returns its interpretation; without a schedule it runs once, now.',
    access: 'token',
    why: WRITE,
    body: z.strictObject({
      description: z.string().trim().min(1).max(500),
      schedule: z.union([when, askedSchedule]).optional(),
      timezone: timezone.optional(),
      action: taskAction,
      catchUp: z.enum(CATCH_UPS).optional(),
      onInterrupted: z.enum(ON_INTERRUPTED).optional(),
      tags: z.array(z.string().max(60)).max(20).optional(),
      /** Only return how the schedule would be interpreted; store nothing. */
      dryRun: z.boolean().optional(),
    }),
    answer: understood.extend({
      ok: z.literal(true),
      id: z.string(),
      status: z.string(),
      requires_confirmation: z.boolean(),
    }),
    errors: ['invalid_input', 'payload_too_large', 'assistant_unreadable'],
    maxBodyBytes: LIMITS.taskBodyBytes,
    perMinute: 120,
  }),
  approveTask: defineRoute({
    method: 'POST',
    path: '/assistant/tasks/:id/approve',
    summary: 'Approves a task that needs approval.',
    access: 'token',
    why: WRITE,
    params: id,
    body: z.strictObject({}),
    answer: z.object({ ok: z.literal(true), id: z.string(), status: z.string() }),
    errors: ['not_found', 'ambiguous', 'assistant_unreadable'],
  }),
  cancelTask: defineRoute({
    method: 'DELETE',
    path: '/assistant/tasks/:id',
    summary: 'Cancels a task, by its id or a prefix of it; its history is kept.',
    access: 'token',
    why: WRITE,
    params: id,
    answer: z.object({ ok: z.literal(true), cancelled: z.string() }),
    errors: ['not_found', 'ambiguous', 'assistant_unreadable'],
  }),
  getTaskHistory: defineRoute({
    method: 'GET',
    path: '/assistant/tasks/:id/history',
    summary: 'Outcomes of the firings of a task, newest first.',
    access: 'local',
    why: READ,
    params: id,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: z.object({ id: z.string(), firings: z.array(taskFiring) }),
    errors: ['not_found', 'ambiguous'],
  }),
  listDiary: defineRoute({
    method: 'GET',
    path: '/assistant/diary',
    summary: 'The last days, newest first.',
    access: 'local',
    why: READ,
    query: z.object({ limit: z.coerce.number().int().min(1).max(366).default(30) }),
    answer: z.object({
      entries: z.array(diaryFields.extend({ text: z.string() })),
      problems: z.array(z.string()),
    }),
  }),
  listOpinions: defineRoute({
    method: 'GET',
    path: '/assistant/opinions',
    summary: 'Its opinions and their confidence.',
    access: 'local',
    why: READ,
    answer: z.object({ raw: z.string(), opinions: z.array(shownOpinion) }),
    errors: ['assistant_unreadable'],
  }),
  addOpinion: defineRoute({
    method: 'POST',
    path: '/assistant/opinions',
    summary: 'Adds an opinion without evidence: its confidence is one half.',
    access: 'token',
    why: OWN,
    body: opinion.pick({ topic: true, position: true }).strict(),
    answer: shownOpinion,
    status: 201,
    errors: ['invalid_input', 'already_exists', 'assistant_unreadable'],
  }),
  addEvidence: defineRoute({
    method: 'POST',
    path: '/assistant/opinions/:id/evidence',
    summary: 'Adds evidence for or against an opinion; idempotent per key.',
    access: 'token',
    why: OWN,
    params: id,
    body: z.strictObject({
      stance: z.enum(['for', 'against']),
      note: z.string().trim().max(500).optional(),
      key: z.string().min(1).max(200).optional(),
    }),
    answer: shownOpinion,
    errors: ['not_found', 'invalid_input', 'assistant_unreadable'],
  }),
}
