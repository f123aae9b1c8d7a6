import {
  type AskedSchedule,
  type AssistantTask,
  type assistantRoutes,
  fail,
  nearestHint,
  ok,
  type Result,
  type RouteInput,
  StewardError,
  type TaskSchedule,
} from '@steward/contract'
import {
  formatInZone,
  instantOfWall,
  isZone,
  parseWhen,
  readCron,
  type WhenContext,
} from '@steward/engine'
import { instantOf } from '@steward/platform'
import type { ScheduledFlow } from '../../../ports.ts'
import type { AssistantModulePorts } from '../ports.ts'

type Asked = RouteInput<typeof assistantRoutes.createTask>['body']

const ZONED = /(?:z|[+-]\d\d:?\d\d)$/i

/** Builds a task from a request and parses its schedule; writes nothing. */
export const buildTask = (
  body: Asked,
  context: { nowMs: number; zone: string; mustAsk: readonly string[] } & Pick<
    AssistantModulePorts,
    'newId'
  >,
): Result<AssistantTask> => {
  const { nowMs, mustAsk, newId } = context
  const zone = body.timezone ?? zoneOf(body.schedule) ?? context.zone
  if (!isZone(zone)) return refuse('timezone', `${zone} is not a time zone such as Europe/Berlin`)
  const schedule = readSchedule(body.schedule, { nowMs, zone })
  if (!schedule.ok) return schedule
  const { description, action, catchUp = 'once', onInterrupted = 'retry', tags = [] } = body
  return ok({
    id: `${slugOf(description)}-${newId()
      .replace(/[^a-z0-9]/g, '')
      .slice(0, 6)}`,
    description,
    created_at: formatInZone(nowMs, zone),
    schedule: { ...schedule.value, timezone: zone },
    action,
    status: mustAsk.includes(action.type) ? 'pending_approval' : 'active',
    catchUp,
    onInterrupted,
    tags,
  })
}

const zoneOf = (schedule: Asked['schedule']): string | undefined =>
  typeof schedule === 'object' ? schedule.timezone : undefined

const readSchedule = (schedule: Asked['schedule'], context: WhenContext): Result<TaskSchedule> => {
  if (schedule === undefined) return parseWhen('now', context)
  if (typeof schedule === 'string') return parseWhen(schedule, context)
  const { text, cron, at, until } = schedule
  const given = [text, cron, at].filter((each) => each !== undefined)
  if (given.length > 1) return refuse('schedule', 'give one of text, cron and at')
  const read = readOne(schedule, context)
  if (!read.ok || until === undefined) return read
  if ('at' in read.value) return refuse('schedule', 'until needs a repeating schedule')
  const end = readInstant(until, context)
  if (!end.ok) return end
  return ok({ ...read.value, until: formatInZone(end.value, context.zone) })
}

const readOne = (
  { text, cron, at, type }: AskedSchedule,
  context: WhenContext,
): Result<TaskSchedule> => {
  if (text !== undefined) return parseWhen(text, context)
  if (cron !== undefined) return readCron(cron)
  if (at === undefined) {
    return type === 'recurring' ? refuse('schedule', 'cron is missing') : parseWhen('now', context)
  }
  const instant = readInstant(at, context)
  if (!instant.ok) return instant
  if (instant.value < context.nowMs - 1000) return refuse('schedule', `${at} is in the past`)
  return ok({ at: formatInZone(instant.value, context.zone) })
}

/** A time without an offset is local. */
const readInstant = (text: string, { zone }: WhenContext): Result<number> => {
  const instantMs = instantOf(text)
  if (instantMs === undefined) {
    return refuse('schedule', `'${text}' is not a time such as 2026-12-24T18:00`)
  }
  if (ZONED.test(text)) return ok(instantMs)
  return ok(instantOfWall(Date.parse(`${text.replace(' ', 'T')}Z`), zone))
}

/** Why this machine cannot perform a task at all. */
export const findObstacle = (
  { action }: AssistantTask,
  { allowScripts, flows }: { allowScripts: boolean; flows: readonly ScheduledFlow[] | undefined },
): StewardError | undefined => {
  const wrong = (field: string, reason: string) =>
    new StewardError('invalid_input', { subject: 'the body', reason, field })
  if (action.type === 'script' && !allowScripts) {
    return wrong('action.type', 'scripts are off; set assistant.allowScripts in settings.json')
  }
  if (action.type !== 'flow' || flows === undefined) return undefined
  const names = flows.map(({ name }) => name)
  if (names.includes(action.flow)) return undefined
  return wrong('action.flow', `there is no flow ${action.flow}${nearestHint(action.flow, names)}`)
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '') || 'task'

const refuse = (field: string, reason: string): { ok: false; error: StewardError } =>
  fail(new StewardError('invalid_input', { subject: 'the body', reason, field }))
