import { describeIssues, fail, ok, type Result, StewardError } from '@steward/contract'
import { checkPipeline, type ParsedPipeline } from './parse-pipeline.ts'

/**
 * Parses a `PIPELINE.md`: a title, Purpose, Domain, Version, and an overview table with the columns
 * Step, Action, Purpose. The name is the title if it is a `P_…` name, otherwise the folder's
 * `[Domain]_[Pipeline-Name]` without its domain.
 */
export const parsePipelineMarkdown = (
  text: string,
  file: string,
  folder: string,
): Result<ParsedPipeline> => {
  const lines = text.split(/\r?\n/)
  const actions = readOverview(lines)
  const problems: string[] = []
  const title = lines
    .find((line) => /^#\s+\S/.test(line))
    ?.replace(/^#\s+/, '')
    .trim()
  if (title === undefined) problems.push('a title is required: "# P_NAME"')
  const purpose = readEntry(lines, 'Purpose')
  if (purpose === undefined) problems.push('Purpose is required: "**Purpose:** one sentence"')
  if (actions === undefined)
    problems.push('an overview table with the columns Step, Action, Purpose is required')
  if (problems.length > 0 || actions === undefined) {
    return fail(new StewardError('invalid_definition', { file, reason: problems.join('; ') }))
  }
  const domain = readEntry(lines, 'Domain') ?? folder.split('_')[0]
  const checked = checkPipeline(
    {
      name: nameFrom(title ?? '', folder),
      description: purpose,
      version: readEntry(lines, 'Version') ?? '1.0.0',
      domain,
      actions,
    },
    file,
  )
  if (checked.ok) return ok(checked.value)
  return fail(
    new StewardError('invalid_definition', { file, reason: describeIssues(checked.issues) }),
  )
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

const readOverview = (lines: string[]): string[] | undefined => {
  for (const [index, line] of lines.entries()) {
    const header = cellsOf(line)?.map((cell) => cell.toLowerCase())
    if (!header?.includes('step') || !header.includes('action')) continue
    if (!/^[\s|:-]+$/.test(lines[index + 1] ?? '')) continue
    const stepColumn = header.indexOf('step')
    const actionColumn = header.indexOf('action')
    const rows: Array<{ step: number; action: string }> = []
    for (const row of lines.slice(index + 2)) {
      const cells = cellsOf(row)
      if (cells === undefined) break
      const step = Number.parseFloat(cells[stepColumn] ?? '')
      const action = (cells[actionColumn] ?? '')
        .replace(/[`*]/g, '')
        .replace(/^\[([^\]]*)\].*$/, '$1')
      rows.push({ step: Number.isNaN(step) ? rows.length + 1 : step, action: action.trim() })
    }
    return rows.toSorted((a, b) => a.step - b.step).map(({ action }) => action)
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
