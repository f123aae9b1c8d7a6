import type { Fields, RunDetail, StepRecord } from '@steward/contract'
import type { Sink } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { formatDuration, formatSpend, formatTime } from '../output/format.ts'
import type { Paint } from '../output/paint.ts'
import { formatTable } from '../output/table.ts'
import { COMMAND } from '../setup/command-name.ts'
import { paintStatus, renderRuns } from './render-runs.ts'

/** One run for people: what it was, then step by step what went in and came out. */
export const renderRunDetail = (run: RunDetail, { paint, columns }: Sink): string => {
  const sections = [renderHead(run, paint)]
  if (run.input !== undefined) sections.push(renderFields('input', run.input, '', columns, paint))
  for (const step of run.steps) sections.push(renderStep(step, columns, paint))
  if (run.children.length > 0) {
    sections.push(`${paint.bold('runs it started')}\n${renderRuns(run.children, paint)}`)
  }
  return sections.join('\n')
}

const renderHead = (run: RunDetail, paint: Paint): string => {
  const { error, rerunOf, idempotencyKey, parentId, definition } = run
  const took = run.durationMs === null ? '' : ` in ${formatDuration(run.durationMs)}`
  const facts: Array<[string, string | null | undefined]> = [
    ['run', run.id],
    ['started', formatTime(run.startedAt)],
    ['spent', formatSpend(run.spend)],
    ['models', run.spend.models.join(', ')],
    ['definition', `${definition.version} (${definition.hash.slice(0, 12)})`],
    ['part of', parentId],
    ['repeats', rerunOf && `${rerunOf.id} from step ${rerunOf.fromStep + 1}`],
    ['key', idempotencyKey],
    ['error', error && paint.red(cleanText(`${error.message} (${error.code})`))],
    ['go on', run.status === 'interrupted' ? `${COMMAND} runs resume ${run.id}` : null],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint.dim(name), value]] : []))
  const title = `${paint.bold(run.name)} ${paintStatus(run.status, paint)}${took}`
  return `${title}\n${formatTable(rows)}`
}

const renderStep = (step: StepRecord, columns: number, paint: Paint): string => {
  const { index, action, status, durationMs, spend, isolation, error, attempts } = step
  const notes = [
    durationMs === null ? '' : formatDuration(durationMs),
    formatSpend(spend),
    isolation === null ? '' : `isolation: ${isolation}`,
    attempts > 1 ? `${attempts} attempts` : '',
  ].filter((note) => note !== '')
  const head = `${index + 1}. ${paint.bold(action)} ${paintStatus(status, paint)} ${paint.dim(notes.join(', '))}`
  return [
    `${head.trimEnd()}\n`,
    ...(error === null ? [] : [`   ${paint.red(cleanText(`${error.message} (${error.code})`))}\n`]),
    ...(step.input === undefined ? [] : [renderFields('input', step.input, '   ', columns, paint)]),
    ...(step.output === undefined
      ? []
      : [renderFields('output', step.output, '   ', columns, paint)]),
  ].join('')
}

const renderFields = (
  title: string,
  fields: Fields,
  indent: string,
  columns: number,
  paint: Paint,
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
