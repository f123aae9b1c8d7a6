import {
  describeIssuesAt,
  fail,
  type Issue,
  ok,
  type Result,
  StewardError,
} from '@steward/contract'
import { type CheckReference, checkPipeline, type ParsedPipeline } from './parse-pipeline.ts'

/**
 * Parses a `PIPELINE.md`: a title, Purpose, Domain, Version, and an overview table with the columns
 * Step, Action, Purpose. The name is the title if it is a `P_…` name, otherwise the folder's
 * `[Domain]_[Pipeline-Name]` without its domain.
 */
export const parsePipelineMarkdown = (
  text: string,
  file: string,
  folder: string,
  checkReference?: CheckReference,
): Result<ParsedPipeline> => {
  const lines = text.split(/\r?\n/)
  const rows = readOverview(lines)
  const title = lines
    .find((line) => /^#\s+\S/.test(line))
    ?.replace(/^#\s+/, '')
    .trim()
  const purpose = readEntry(lines, 'Purpose')
  const domain = readEntry(lines, 'Domain') ?? folder.split('_')[0]
  const checked = checkPipeline(
    {
      name: nameFrom(title ?? '', folder),
      description: purpose,
      version: readEntry(lines, 'Version') ?? '1.0.0',
      domain,
      actions: rows?.map(({ action }) => action),
    },
    file,
    checkReference,
  )
  const missing = new Map<string, string>()
  if (title === undefined) missing.set('title', 'a title is required: "# P_NAME"')
  if (purpose === undefined) {
    missing.set('description', 'Purpose is required: "**Purpose:** one sentence"')
  }
  if (rows === undefined) {
    missing.set('actions', 'an overview table with the columns Step, Action, Purpose is required')
  }
  const issues = [
    ...[...missing.values()].map((message): Issue => ({ path: '', message })),
    ...(checked.ok ? [] : checked.issues.filter(({ path }) => !missing.has(path))),
  ]
  if (checked.ok && issues.length === 0) return ok(checked.value)
  const reason = describeIssuesAt(issues, lineInMarkdown(text))
  return fail(new StewardError('invalid_definition', { file, reason }))
}

/** The line of an action in the overview table of a `PIPELINE.md`, by its path (`actions[0]`). */
export const lineInMarkdown = (text: string): ((path: string) => number | undefined) => {
  const rows = readOverview(text.split(/\r?\n/))
  return (path) => rows?.[Number(/^actions\[(\d+)\]$/.exec(path)?.[1] ?? -1)]?.line
}

const nameFrom = (title: string, folder: string): string => {
  const named = /\bP_[A-Z0-9_]+\b/.exec(title)
  if (named) return named[0]
  const words = folder.includes('_') ? folder.slice(folder.indexOf('_') + 1) : folder
  return `P_${words.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}`
}

/** `**Purpose:** text`, `Purpose: text`, or the first paragraph below a heading of that name. */
const readEntry = (lines: string[], label: string): string | undefined => {
  const inline = new RegExp(`^[-*\\s]*${label}\\**\\s*:\\**(.+)$`, 'is')
  for (const [index, line] of lines.entries()) {
    const value = inline.exec(line)?.[1]?.trim()
    if (value) return value
    if (!new RegExp(`^#{2,}\\s+${label}\\s*$`, 'i').test(line)) continue
    const below = lines.slice(index + 1).find((next) => next.trim() !== '')
    if (below !== undefined && !below.startsWith('#')) return below.trim()
  }
  return undefined
}

interface OverviewRow {
  step: number
  action: string
  line: number
}

/** The rows of the overview table in the order of their steps. */
const readOverview = (lines: string[]): OverviewRow[] | undefined => {
  for (const [index, line] of lines.entries()) {
    const header = cellsOf(line)?.map((cell) => cell.toLowerCase())
    if (!header?.includes('step') || !header.includes('action')) continue
    if (!/^[\s|:-]+$/.test(lines[index + 1] ?? '')) continue
    const stepColumn = header.indexOf('step')
    const actionColumn = header.indexOf('action')
    const rows: OverviewRow[] = []
    for (const [offset, row] of lines.slice(index + 2).entries()) {
      const cells = cellsOf(row)
      if (cells === undefined) break
      const step = Number.parseFloat(cells[stepColumn] ?? '')
      const action = (cells[actionColumn] ?? '')
        .replace(/[`*]/g, '')
        .replace(/^\[([^\]]*)\].*$/, '$1')
      rows.push({
        step: Number.isNaN(step) ? rows.length + 1 : step,
        action: action.trim(),
        line: index + offset + 3,
      })
    }
    return rows.toSorted((a, b) => a.step - b.step)
  }
  return undefined
}

const cellsOf = (line: string): string[] | undefined => {
  const trimmed = line.trim()
  if (!trimmed.startsWith('|')) return undefined
  return trimmed
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
}
