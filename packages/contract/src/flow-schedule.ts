import { z } from 'zod'
import { CATCH_UPS } from './assistant.ts'
import { parseDuration } from './duration.ts'

const DAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MINUTE_MS = 60_000

/** The weekdays of `mon-fri`, `sat,sun` or `fri-mon`, 0 for Sunday; undefined if it is none. */
export const parseDays = (text: string): number[] | undefined => {
  const found = text.split(',').map((part) => {
    const match = /^([a-z]{3})(?:-([a-z]{3}))?$/.exec(part.trim().toLowerCase())
    const [from, to] = [match?.[1], match?.[2] ?? match?.[1]].map((name) =>
      DAYS.indexOf(name ?? ''),
    )
    if (from === undefined || to === undefined || from < 0 || to < 0) return undefined
    const count = ((to - from + DAYS.length) % DAYS.length) + 1
    return Array.from({ length: count }, (_, index) => (from + index) % DAYS.length)
  })
  if (found.includes(undefined)) return undefined
  return [...new Set(found.flatMap((days) => days ?? []))].toSorted((a, b) => a - b)
}

/** Each of these alone says when a flow runs. */
const TIMINGS = ['intervalMinutes', 'every', 'at', 'cron'] as const

export const RUNS_ON = ['here', 'edge'] as const

/** When and where a flow runs. Time zones and cron expressions are checked by the engine. */
export const flowSchedule = z
  .strictObject({
    intervalMinutes: z.int().min(1).optional().meta({ description: 'How often it runs.' }),
    every: z
      .string()
      .refine(
        (text) => (parseDuration(text) ?? 0) >= MINUTE_MS && isWholeMinutes(text),
        'must be a duration of whole minutes such as 90m, 6h or 1d',
      )
      .optional()
      .meta({ description: 'How often it runs, such as 90m, 6h or 1d.' }),
    at: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 07:00')
      .optional()
      .meta({ description: 'The time of day in the time zone, such as 07:00.' }),
    days: z
      .string()
      .refine(
        (text) => parseDays(text) !== undefined,
        'must be days such as mon-fri, sat,sun or mon,wed,fri',
      )
      .optional()
      .meta({ description: 'The days for `at`, such as mon-fri; every day by default.' }),
    cron: z.string().min(1).max(200).optional().meta({
      description: 'Five fields in the time zone: minute, hour, day, month, weekday (0 is Sunday).',
    }),
    timezone: z.string().min(1).max(60).optional().meta({
      description:
        'Such as Europe/Berlin; by default assistant.timezone or the zone of the machine here, UTC on the edge.',
    }),
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'false stops it, here and on the edge.' }),
    runsOn: z.enum(RUNS_ON).optional().meta({
      description:
        'here: the daemon of this machine starts it. edge: its worker does. Without it, it is manual here and scheduled on the edge.',
    }),
    catchUp: z.enum(CATCH_UPS).optional().meta({
      description:
        'Times that passed while this machine was off: run once (default), run all, or skip them.',
    }),
  })
  .superRefine((schedule, context) => {
    const wrong = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    const [first, second] = TIMINGS.filter((key) => schedule[key] !== undefined)
    if (first === undefined) {
      context.addIssue({ code: 'custom', message: `needs one of ${TIMINGS.join(', ')}` })
    } else if (second !== undefined) wrong(second, `cannot be combined with ${first}`)
    if (schedule.days !== undefined && schedule.at === undefined) {
      wrong('days', 'needs the time of day: at')
    }
    if (schedule.catchUp !== undefined && schedule.runsOn !== 'here') {
      wrong('catchUp', 'needs "runsOn": "here"')
    }
  })
export type FlowSchedule = z.infer<typeof flowSchedule>

const isWholeMinutes = (text: string): boolean => (parseDuration(text) ?? 1) % MINUTE_MS === 0
