import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { channelName } from './notification.ts'

/** The default traits of a personality. A person may add traits to the file. */
export const DEFAULT_TRAITS = {
  enthusiasm: 60,
  energy: 60,
  expressiveness: 55,
  resilience: 80,
  composure: 75,
  optimism: 65,
  warmth: 65,
  formality: 35,
  directness: 75,
  precision: 85,
  curiosity: 75,
  playfulness: 40,
} as const

/** 0 to 100. */
export const traitValue = z.number().min(0).max(100)

const text = z.string().max(2000)
const texts = z.array(text).max(100).default([])

/** `USER/ASSISTANT/personality.yaml`. Unknown fields are kept but not shown. */
export const personalityFile = z.looseObject({
  base_description: text.default(''),
  traits: z.record(z.string().max(60), traitValue).default({}),
  anchors: z.array(z.object({ name: text, description: text.default('') })).default([]),
  preferences: z
    .looseObject({
      what_i_love: texts,
      what_i_dislike: texts,
      working_style: texts,
      intellectual_interests: texts,
    })
    .prefault({}),
  companion: z
    .object({ name: text, species: text.default(''), personality: text.default('') })
    .nullable()
    .default(null),
  relationship: z
    .looseObject({ dynamic: text.default(''), interaction_style: text.default('') })
    .prefault({}),
  autonomy: z.looseObject({ can_initiate: texts, must_ask: texts }).prefault({}),
  writing: z.looseObject({ style: text.default(''), avoid: texts, prefer: texts }).prefault({}),
  voice: z.object({ provider: text }).nullable().default(null),
})
export type Personality = z.infer<typeof personalityFile>

/** The frontmatter of `USER/ASSISTANT/identity.md`; the text below it is the origin story. */
export const identityFields = z.looseObject({
  name: z.string().trim().min(1).max(100).optional(),
  full_name: z.string().trim().min(1).max(200).optional(),
  display_name: z.string().trim().min(1).max(100).optional(),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #3B82F6')
    .optional(),
  role: text.optional(),
  principal: text.optional(),
})

/** How missed firings are handled, for example after the daemon was down. */
export const CATCH_UPS = ['once', 'all', 'skip'] as const
/** How a firing is handled whose action was interrupted by a crash. */
export const ON_INTERRUPTED = ['retry', 'skip'] as const
export const TASK_STATUSES = ['active', 'pending_approval', 'cancelled', 'done'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

const zone = z.string().min(1).max(60)
const isoInstant = z.iso.datetime({ offset: true })

const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00')
  .meta({ description: 'Local time in the time zone, such as 09:00.' })

/** A task's schedule as stored. */
export const taskSchedule = z.union([
  z.strictObject({
    cron: z.string().min(1).max(200).meta({ description: 'Five fields, in the time zone.' }),
    timezone: zone.optional(),
    until: isoInstant.optional(),
    asked: z.string().max(300).optional(),
  }),
  z.strictObject({
    at: isoInstant.meta({ description: 'The time of the only firing.' }),
    timezone: zone.optional(),
    asked: z.string().max(300).optional(),
  }),
  z.strictObject({
    everySeconds: z.int().min(LIMITS.taskIntervalSeconds),
    from: isoInstant.meta({ description: 'The first firing is one interval after this.' }),
    timezone: zone.optional(),
    until: isoInstant.optional(),
    asked: z.string().max(300).optional(),
  }),
  z.strictObject({
    everyDays: z.int().min(1).max(366).meta({ description: 'Days of the calendar.' }),
    fromDay: z.iso.date().meta({ description: 'The first day, in the time zone.' }),
    time: timeOfDay,
    timezone: zone.optional(),
    until: isoInstant.optional(),
    asked: z.string().max(300).optional(),
  }),
  z.strictObject({
    monthly: z.literal('last day'),
    time: timeOfDay,
    timezone: zone.optional(),
    until: isoInstant.optional(),
    asked: z.string().max(300).optional(),
  }),
])
export type TaskSchedule = z.infer<typeof taskSchedule>

const message = z.string().trim().min(1).max(LIMITS.taskTextChars)

export const taskAction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('notify'),
    message,
    channel: channelName.optional().meta({ description: 'Overrides the routing of longTask.' }),
  }),
  z.strictObject({
    type: z.literal('prompt'),
    prompt: message,
    tier: z.enum(['fast', 'standard', 'deep']).default('standard'),
    notify: z
      .boolean()
      .default(false)
      .meta({ description: 'Also send the answer as a notification.' }),
  }),
  z.strictObject({
    type: z.literal('flow'),
    flow: z.string().trim().min(1).max(200),
  }),
  z.strictObject({
    type: z.literal('script'),
    command: z
      .array(z.string().max(LIMITS.taskTextChars))
      .min(1)
      .max(100)
      .meta({ description: 'Program and arguments; not interpreted by a shell.' }),
    timeoutSeconds: z.int().min(1).max(600).default(60),
    notify: z
      .boolean()
      .default(false)
      .meta({ description: 'Also send the end of its output as a notification.' }),
  }),
])
export type TaskAction = z.infer<typeof taskAction>

/** One entry of `USER/ASSISTANT/tasks.yaml`. */
export const assistantTask = z.looseObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'must be lower case letters, digits and dashes'),
  description: z.string().trim().min(1).max(500),
  created_at: isoInstant.optional(),
  schedule: taskSchedule,
  action: taskAction,
  status: z.enum(TASK_STATUSES).default('active'),
  catchUp: z.enum(CATCH_UPS).default('once'),
  onInterrupted: z.enum(ON_INTERRUPTED).default('retry'),
  tags: z.array(z.string().max(60)).max(20).default([]),
})
export type AssistantTask = z.infer<typeof assistantTask>

/** The outcome of one firing of a task. */
export const FIRING_STATES = [
  'claimed',
  'running',
  'done',
  'failed',
  'missed',
  'interrupted',
  'cancelled',
] as const
export const taskFiring = z.object({
  /** When it was due. */
  due: z.string(),
  state: z.enum(FIRING_STATES),
  attempts: z.int(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** The answer, the output, or the reason for a failure. */
  detail: z.string().nullable(),
})
export type TaskFiring = z.infer<typeof taskFiring>

/** One entry of `USER/ASSISTANT/opinions.yaml`. The confidence is computed from the counts. */
export const opinion = z.looseObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'must be lower case letters, digits and dashes'),
  topic: z.string().trim().min(1).max(200),
  position: z.string().trim().min(1).max(1000),
  for: z.int().nonnegative().max(1_000_000).default(0),
  against: z.int().nonnegative().max(1_000_000).default(0),
  confidence: z.number().min(0).max(1).optional(),
  source: z.string().max(200).default('you'),
  first_observed: z.string().max(40).optional(),
  last_confirmed: z.string().max(40).optional(),
  last_note: z.string().max(500).optional(),
})
export type Opinion = z.infer<typeof opinion>

export const MOODS = ['positive', 'neutral', 'frustrated'] as const

/** The frontmatter of a day's page in `USER/ASSISTANT/diary/`. */
export const diaryFields = z.looseObject({
  date: z.iso.date(),
  interaction_count: z.int().nonnegative().default(0),
  topics: z.array(z.string()).default([]),
  mood: z.enum(MOODS).default('neutral'),
  avg_rating: z.number().nullable().default(null),
  notable_moments: z.array(z.string()).default([]),
  learning: z.string().nullable().default(null),
})
export type DiaryFields = z.infer<typeof diaryFields>
