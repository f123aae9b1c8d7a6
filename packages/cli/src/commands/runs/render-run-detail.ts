import { isDeepStrictEqual } from 'node:util'
import type { JsonObject, RunDetail, StepRecord } from '@steward/contract'
import { containerOf, sourceOf } from '@steward/engine'
import type { Sink } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { formatDuration, formatSpend, formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { paintStatus, renderRuns } from './render-runs.ts'

/**
 * One run for people: a summary, then inputs and outputs step by step. Fields that only passed
 * through a step are counted, not repeated; `full` shows every field completely.
 */
export const renderRunDetail = (run: RunDetail, sink: Sink, full: boolean): string => {
  const { paint } = sink
  const layout = { columns: full ? Number.POSITIVE_INFINITY : sink.columns, full, paint }
  const sections = [renderHead(run, paint)]
  if (countFields(run.input) > 0 && run.input)
    sections.push(renderFields('input', run.input, '', layout))
  const start: Before = { fields: run.input, name: "the run's input" }
  let before = start
  const known = new Map<string, StepRecord>()
  let hidden = 0
  for (const step of run.steps) {
    const { path } = step
    if (path !== undefined) {
      known.set(path, step)
      before = sourceIn(known, path) ?? start
    }
    if (!full && isLaterElement(step)) hidden++
    else sections.push(renderStep(step, full ? undefined : before, layout))
    before = { fields: step.output, name: `the output of step ${step.step}` }
  }
  if (hidden > 0) {
    sections.push(`${paint.dim(`and ${hidden} steps of further elements: --full shows them`)}\n`)
  }
  if (run.children.length > 0) {
    sections.push(`${paint.bold('runs it started')}\n${renderRuns(run.children, paint)}`)
  }
  return sections.join('\n')
}

/** The fields that a step started with, and their name. */
interface Before {
  fields: JsonObject | undefined
  name: string
}

const sourceIn = (known: ReadonlyMap<string, StepRecord>, path: string): Before | undefined => {
  const source = sourceOf(path)
  const step = source === undefined ? undefined : known.get(source)
  if (step === undefined) return undefined
  return source === containerOf(path) || step.output === undefined
    ? { fields: step.input, name: `the input of step ${source}` }
    : { fields: step.output, name: `the output of step ${source}` }
}

const SHOWN_ELEMENTS = 3

/** Elements of a fan-out after the first ones, unless something is wrong with them. */
const isLaterElement = ({ path = '', status }: StepRecord): boolean => {
  const numbers = [...path.matchAll(/\.each\[(\d+)\]/g)].map(([, number]) => Number(number))
  const isFine = status === 'completed' || status === 'filtered'
  return isFine && numbers.some((number) => number > SHOWN_ELEMENTS)
}

interface Layout {
  columns: number
  full: boolean
  paint: Paint
}

const renderHead = (run: RunDetail, paint: Paint): string => {
  const { error, rerunOf, idempotencyKey, parentId, definition } = run
  const took = run.durationMs === null ? '' : ` in ${formatDuration(run.durationMs)}`
  const facts: Array<[string, string | null | undefined]> = [
    ['run', run.id],
    ['started', formatTime(run.startedAt)],
    ['spent', formatSpend(run.spend)],
    ['models', run.spend.models.join(', ')],
    ['definition', `${definition.version} (${definition.hash.slice(0, 12)})`.replace(' ()', '')],
    ['part of', parentId],
    ['repeats', rerunOf && `${rerunOf.id} from step ${rerunOf.fromStep}`],
    ['key', idempotencyKey],
    ['error', error && paint.red(cleanText(`${error.message} (${error.code})`))],
    ['go on', isResumable(run) ? `${COMMAND} runs resume ${run.id}` : null],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint.dim(name), value]] : []))
  const title = `${paint.bold(run.name)} ${paintStatus(run.status, paint)}${took}`
  return `${title}\n${formatTable(rows)}`
}

/** A cancelled flow must be triggered again. */
const isResumable = ({ status, primitive }: RunDetail): boolean =>
  status === 'interrupted' || (status === 'cancelled' && primitive !== 'flow')

const renderStep = (step: StepRecord, before: Before | undefined, layout: Layout): string => {
  const {
    step: number,
    path = String(number),
    action,
    handled,
    status,
    durationMs,
    spend,
    isolation,
    error,
    attempts,
    input,
    output,
  } = step
  const { paint } = layout
  const notes = [
    durationMs === null ? '' : formatDuration(durationMs),
    formatSpend(spend),
    isolation === null ? '' : `isolation: ${isolation}`,
    attempts > 1 ? `${attempts} attempts` : '',
    handled === true ? 'its onError steps ran' : '',
  ].filter((note) => note !== '')
  const head = `${path}. ${paint.bold(action)} ${paintStatus(status, paint)} ${paint.dim(notes.join(', '))}`
  const known = before !== undefined && isDeepStrictEqual(input, before.fields)
  const fresh = before === undefined ? output : changedFields(input, output)
  const passed = countFields(output) - countFields(fresh)
  return [
    `${head.trimEnd()}\n`,
    ...(error === null ? [] : [`   ${paint.red(cleanText(`${error.message} (${error.code})`))}\n`]),
    ...(error?.stack === undefined ? [] : renderStack(error.stack, layout)),
    ...renderLogs(step, layout),
    ...(known && countFields(input) > 0 ? [`   ${paint.dim(`input: ${before.name}`)}\n`] : []),
    ...(input === undefined || known ? [] : [renderFields('input', input, '   ', layout)]),
    ...(fresh === undefined ? [] : [renderFields('output', fresh, '   ', layout)]),
    ...(passed > 0
      ? [`     ${paint.dim(`and ${countOf(passed, 'field')} passed through`)}\n`]
      : []),
  ].join('')
}

const SHOWN_FRAMES = 3
const SHOWN_LOGS = 10

/** Where in the action's code it was thrown; the message itself is above. */
const renderStack = (stack: string, { paint, full }: Layout): string[] =>
  stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .slice(0, full ? undefined : SHOWN_FRAMES)
    .map((line) => `   ${paint.dim(cleanText(line))}\n`)

/** The last entries: they are the ones before a failure. */
const renderLogs = (
  { logs = [], startedAt }: StepRecord,
  { paint, full, columns }: Layout,
): string[] => {
  if (logs.length === 0) return []
  const shown = full ? logs : logs.slice(-SHOWN_LOGS)
  const hidden = logs.length - shown.length
  const lines = shown.map(({ at, level, text }) => {
    const passed = formatDuration(Math.max(0, Date.parse(at) - Date.parse(startedAt)))
    const mark =
      level === 'error' ? paint.red(level) : level === 'warn' ? paint.yellow(level) : level
    const said = full ? cleanText(text).replaceAll('\n', '\n       ') : shorten(text, columns - 20)
    return `     ${paint.dim(`+${passed}`)} ${mark} ${said}\n`
  })
  return [
    `   ${paint.dim('log')}\n`,
    ...(hidden === 0 ? [] : [`     ${paint.dim(`${hidden} earlier entries: --full`)}\n`]),
    ...lines,
  ]
}

const changedFields = (
  input: JsonObject = {},
  output: JsonObject | undefined,
): JsonObject | undefined =>
  output &&
  Object.fromEntries(
    Object.entries(output).filter(([name, value]) => !isDeepStrictEqual(value, input[name])),
  )

const countFields = (fields: JsonObject | undefined): number => Object.keys(fields ?? {}).length

const renderFields = (
  title: string,
  fields: JsonObject,
  indent: string,
  { columns, paint }: Layout,
): string => {
  const names = Object.keys(fields)
  const width = Math.max(0, ...names.map((name) => name.length))
  const room = Math.max(20, columns - indent.length - width - 5)
  const lines = names.map((name) => {
    const shown = shorten(fields[name], room)
    return `${indent}  ${cleanText(name).padEnd(width)}  ${shown}\n`
  })
  return `${indent}${paint.dim(title)}\n${lines.join('')}`
}

const shorten = (value: unknown, room: number): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = cleanText(text.slice(0, room * 2).replace(/\s+/g, ' '))
  const chars = [...line]
  return chars.length > room ? `${chars.slice(0, room - 1).join('')}…` : line
}
