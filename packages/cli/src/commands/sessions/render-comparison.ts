import type { Comparison, DrivenSession } from '@steward/contract'
import type { Sink } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { formatDuration } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'

type Side = Comparison['sides'][number]

const GAP = ' │ '
/** Narrower columns would cut most lines of code. */
const LEAST_COLUMN = 40
const LABEL_CHARS = 10

/** The facts of each assistant in a column, then the diffs: side by side if there is room. */
export const renderComparison = (
  { id, prompt, project, sides }: Comparison,
  { columns, paint }: Pick<Sink, 'columns' | 'paint'>,
): string => {
  const width = widthOf(columns - LABEL_CHARS, sides.length)
  const facts = FACTS.map(([label, read]) => {
    const cells = sides.map((side) => fit(cleanText(read(side)), width))
    return `${paint.dim(label.padEnd(LABEL_CHARS))}${cells.join(GAP).trimEnd()}`
  })
  const head = [
    paint.bold(cleanText(firstLine(prompt))),
    paint.dim(`${cleanText(project)} · ${id}`),
  ]
  const diffs = sides.map(diffLines)
  const diffWidth = widthOf(columns, sides.length)
  const body =
    diffWidth >= LEAST_COLUMN
      ? besideEachOther(diffs, diffWidth, paint)
      : diffs.flatMap((lines, index) => [
          '',
          paint.bold(sides[index]?.session.assistant ?? ''),
          ...lines.map((line) => colour(line, line, paint)),
        ])
  const end = 'Nothing was merged or pushed.'
  return `${[...head, '', ...facts, '', ...body, '', end].join('\n')}\n`
}

const FACTS: ReadonlyArray<[label: string, read: (side: Side) => string]> = [
  ['assistant', ({ session }) => session.assistant],
  ['state', ({ session: { state, reason } }) => (reason === null ? state : `${state}: ${reason}`)],
  ['time', ({ session }) => formatDuration(session.workedMs)],
  ['cost', ({ session: { costUsd } }) => (costUsd === null ? 'unknown' : `$${costUsd.toFixed(4)}`)],
  ['calls', ({ session }) => countOf(session.toolCalls, 'tool call')],
  ['changes', ({ session }) => session.result?.diffStat?.split('\n').at(-1)?.trim() || 'none'],
  ['check', ({ session }) => describeCheck(session)],
  ['branch', ({ session }) => session.branch ?? session.result?.patch ?? ''],
  ['session', ({ session }) => session.id],
]

const describeCheck = ({ check, result }: DrivenSession): string => {
  if (check === null) return 'none'
  return result?.check ? `${result.check.ok ? 'passed' : 'failed'}: ${check}` : `not run: ${check}`
}

const diffLines = ({ diff, truncated }: Side): string[] => {
  const lines = (diff ?? '').trimEnd().split('\n')
  const cut = truncated ? ['(cut; its branch or patch has all of it)'] : []
  return [...lines, ...cut].map((line) => cleanText(line).replaceAll('\t', '  '))
}

const besideEachOther = (columns: readonly string[][], width: number, paint: Paint): string[] => {
  const height = Math.max(...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines) => lines[row] ?? '')
      .map((line) => colour(line, fit(line, width), paint))
      .join(paint.dim(GAP))
      .trimEnd(),
  )
}

const colour = (line: string, shown: string, paint: Paint): string => {
  if (line.startsWith('+')) return paint.green(shown)
  if (line.startsWith('-')) return paint.red(shown)
  return line.startsWith('@@') || line.startsWith('diff ') ? paint.dim(shown) : shown
}

const widthOf = (columns: number, count: number): number =>
  Math.floor((columns - GAP.length * (count - 1)) / count)

/** Exactly this many characters: cut or padded. */
const fit = (text: string, width: number): string => {
  const characters = [...text]
  return characters.length > width
    ? `${characters.slice(0, width - 1).join('')}…`
    : text + ' '.repeat(width - characters.length)
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''
