/** A skill as read from its directory. */
export interface Skill {
  name: string
  /** Files in its `Workflows/` directory, relative to it. */
  workflowFiles: readonly string[]
  /** The text of its `SKILL.md`, with the routing of its workflows. */
  text: string
}

export type WorkflowCheck =
  | { known: true; name: string }
  | { known: false; reason: 'no-workflows' | 'no-file' | 'not-routed'; listed: readonly string[] }

/**
 * Whether a workflow may be announced: it must be a file in the skill's `Workflows/` directory and
 * listed in the skill's routing. Spec 2, Announcement rules 3. Returns the name as in its file.
 */
export const checkWorkflow = (skill: Skill, workflow: string): WorkflowCheck => {
  const files = skill.workflowFiles.filter((file) => /\.md$/i.test(file)).map(stemOf)
  const routed = listRoutedWorkflows(skill.text).map(keyOf)
  const listed = files.filter((file) => routed.includes(keyOf(file)))
  if (files.length === 0) return { known: false, reason: 'no-workflows', listed }
  const name = files.find((file) => keyOf(file) === keyOf(stemOf(workflow)))
  if (name === undefined) return { known: false, reason: 'no-file', listed }
  return listed.includes(name)
    ? { known: true, name }
    : { known: false, reason: 'not-routed', listed }
}

/** The workflows in the routing section of a skill: paths into `Workflows/`, and marked words. */
export const listRoutedWorkflows = (text: string): string[] => {
  const names = routingLines(text).flatMap((line) => [
    ...[...line.matchAll(/Workflows\/([\p{L}\p{N}_./-]+?)\.md\b/giu)].map(([, name = '']) => name),
    ...[...line.matchAll(/\*\*([^*]+)\*\*|`([^`]+)`/g)].map(([, bold, code]) => bold ?? code ?? ''),
    ...firstCell(line),
  ])
  return [...new Set(names.map((name) => stemOf(name.trim())).filter(Boolean))]
}

const routingLines = (text: string): string[] => {
  const lines: string[] = []
  let depth = 0
  for (const line of text.split(/\r?\n/)) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    const [, marks = '', title = ''] = heading ?? []
    if (heading !== null && (depth === 0 || marks.length <= depth)) {
      depth = /\bworkflow(?:s|\s+routing)?\b/i.test(title) ? marks.length : 0
      continue
    }
    if (depth > 0) lines.push(line)
  }
  return lines
}

const firstCell = (line: string): string[] => {
  const [, cell] = /^\s*\|([^|]+)\|/.exec(line) ?? []
  return cell === undefined || /^[\s:-]*$/.test(cell) ? [] : [cell]
}

const stemOf = (path: string): string =>
  path.replace(/^(?:\.?\/)?(?:Workflows\/)?/i, '').replace(/\.md$/i, '')
const keyOf = (name: string): string => name.toLowerCase()
